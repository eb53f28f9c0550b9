/// Dates of feeds as seconds since 2001-01-01 00:00:00 UTC, by integer arithmetic alone.
///
/// No formatter, calendar or time zone takes part, so a date is the same on every machine.
enum FeedDate {
  /// Seconds from 1970 to 2001.
  static let reference: Int64 = 978_307_200

  /// The date of a number of milliseconds since 1970; nil where the difference overflows.
  static func seconds(epochMilliseconds: Int64) -> Double? {
    let (milliseconds, overflow) = epochMilliseconds.subtractingReportingOverflow(reference * 1000)
    return overflow ? nil : Double(milliseconds) / 1000
  }

  /// Reads `YYYY-MM-DD hh:mm:ss`, or with a `T`; a fraction of up to six digits and a `Z` may follow.
  ///
  /// A byte that is no digit must follow the text.
  static func seconds(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count >= 19, let start = text.baseAddress,
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let century = pair(start), let year = pair(start + 2), let month = pair(start + 5),
      let day = pair(start + 8), let hour = pair(start + 11), let minute = pair(start + 14),
      let second = pair(start + 17),
      let days = days(year: century * 100 + year, month: month, day: day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let whole = days * 86_400 + hour * 3_600 + minute * 60 + second
    var index = 19
    guard index < text.count, text[index] == UInt8(ascii: ".") else {
      return isEnd(text, index) ? Double(whole) : nil
    }
    index += 1
    var scale: Int64 = 1
    var scaled = whole
    while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit <= 9 {
      if scale == 1_000_000 { return nil }
      scaled = scaled * 10 + Int64(digit)
      scale *= 10
      index += 1
    }
    if scale == 1 || !isEnd(text, index) { return nil }
    return Double(scaled) / Double(scale)
  }

  private static func isEnd(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index == text.count || index == text.count - 1 && text[index] == UInt8(ascii: "Z")
  }

  private static func pair(_ pointer: UnsafePointer<UInt8>) -> Int64? {
    let tens = pointer[0] &- UInt8(ascii: "0")
    let units = pointer[1] &- UInt8(ascii: "0")
    return tens <= 9 && units <= 9 ? Int64(tens) * 10 + Int64(units) : nil
  }

  /// Days from 2001-01-01 to a day of the Gregorian calendar, or nil where there is no such day.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length: Int64
    switch month {
    case 1, 3, 5, 7, 8, 10, 12: length = 31
    case 4, 6, 9, 11: length = 30
    case 2: length = isLeap ? 29 : 28
    default: return nil
    }
    guard day >= 1, day <= length else { return nil }
    // Years are counted from March, so that the leap day is a year's last one.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let era = shifted >= 0 ? shifted / 400 : (shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 730_791
  }
}
