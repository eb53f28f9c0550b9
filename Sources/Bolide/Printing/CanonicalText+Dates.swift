import Foundation

/// Dates, by integer calendar arithmetic: no formatter, no time zone, no locale.
extension CanonicalText {
  /// The ISO 8601 text of a date in UTC, with the fewest fraction digits that read back bit-equal.
  ///
  /// The calendar is Gregorian throughout, with a year 0; years outside 0 to 9999 have a sign. A date
  /// about 146 billion years or more from 2001 is `@` and its seconds since 2001, such as `@inf`.
  package static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard abs(seconds) < farthest else { return "@\(seconds)" }
    var whole = Int64(seconds.rounded(.towardZero))
    var fraction = fractionDigits(abs(seconds))
    if seconds < 0, !fraction.isEmpty {
      whole -= 1
      fraction = complement(fraction)
    }
    let day = floorDivide(whole, 86_400)
    let second = Int(whole - day * 86_400)
    let civil = civilDate(day: day)
    var text = yearText(civil.year)
    text += "-\(twoDigits(civil.month))-\(twoDigits(civil.day))"
    text += "T\(twoDigits(second / 3600)):\(twoDigits(second / 60 % 60)):\(twoDigits(second % 60))"
    if !fraction.isEmpty { text += "." + String(decoding: fraction, as: UTF8.self) }
    return text + "Z"
  }

  /// The date an ISO 8601 text stands for: the nearest one, so that what was printed reads back exactly.
  ///
  /// After the day there may be a time with `T` or a blank before it, to the minute or finer, which
  /// then ends with `Z` or an offset such as `+02:00`. A day alone is its first instant in UTC.
  package static func date(_ text: String) -> Date? {
    if text.hasPrefix("@") {
      guard let seconds = Double(text.dropFirst()), !seconds.isNaN else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    var reader = DateReader(text)
    guard let (whole, fraction) = reader.read() else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds(whole: whole, fraction: fraction))
  }

  /// From here on a date is printed as seconds, well before Int64 ends.
  private static let farthest = 0x1p62

  /// The number nearest to whole seconds and the digits of a fraction that is added to them.
  private static func seconds(whole: Int64, fraction: ArraySlice<UInt8>) -> Double {
    let digits = Array(
      fraction.prefix(upTo: (fraction.lastIndex { $0 != 48 } ?? fraction.startIndex - 1) + 1))
    if digits.isEmpty { return Double(whole) }
    // Read as one decimal, rounded once: adding a rounded fraction to the seconds would round twice.
    let magnitude = whole < 0 ? -(whole + 1) : whole
    let text = "\(magnitude)." + String(decoding: whole < 0 ? complement(digits) : digits, as: UTF8.self)
    let value = Double(text) ?? Double(magnitude)
    return whole < 0 ? -value : value
  }

  /// The fraction digits of the shortest decimal that stands for a number that is not negative.
  ///
  /// The shortest decimal has the fewest digits in all; since those before the point are fixed, it has
  /// the fewest after it, too.
  private static func fractionDigits(_ value: Double) -> [UInt8] {
    if value == value.rounded(.towardZero) { return [] }
    let parts = "\(value)".split(separator: "e")
    let decimal = parts[0].split(separator: ".")
    let first = Array(decimal[0].utf8)
    let rest = decimal.count > 1 ? Array(decimal[1].utf8) : []
    guard parts.count > 1, let exponent = Int(parts[1]), exponent < 0 else { return rest }
    let digits = rest == [48] ? first : first + rest
    return Array(repeating: 48, count: -exponent - first.count) + digits
  }

  /// The digits of one minus a fraction whose last digit is not 0.
  private static func complement(_ digits: [UInt8]) -> [UInt8] {
    var result = digits.map { 57 - ($0 - 48) }
    if let last = result.indices.last { result[last] += 1 }
    return result
  }

  // MARK: Calendar

  /// The number of days from 0000-03-01 to 2001-01-01.
  private static let dayShift: Int64 = 730_791

  /// The day in the calendar, from days since 2001-01-01.
  static func civilDate(day: Int64) -> (year: Int64, month: Int, day: Int) {
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = day + dayShift
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, Int(month), Int(dayOfYear - (153 * march + 2) / 5 + 1))
  }

  /// The days since 2001-01-01 of a day in the calendar; `nil` when there is no such day.
  static func day(year: Int64, month: Int, day: Int) -> Int64? {
    guard abs(year) < 200_000_000_000, (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let march = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * march + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - dayShift
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value + 1) / divisor - 1
  }

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  private static func yearText(_ year: Int64) -> String {
    let digits = String(abs(year))
    let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
    return sign + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// Reads an ISO 8601 date byte by byte.
private struct DateReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  /// Seconds since 2001-01-01 UTC and the digits of their fraction.
  mutating func read() -> (Int64, ArraySlice<UInt8>)? {
    let sign: Int64 = take("-") ? -1 : 1
    let isExpanded = sign < 0 || take("+")
    let digits = takeDigits()
    guard isExpanded ? (4...12).contains(digits.count) : digits.count == 4,
      let year = Int64(String(decoding: digits, as: UTF8.self)), take("-"), let month = pair(), take("-"),
      let dayOfMonth = pair(),
      let day = CanonicalText.day(year: sign * year, month: month, day: dayOfMonth)
    else { return nil }
    if rest.isEmpty { return (day * 86_400, []) }
    guard take("T") || take(" "), let hour = pair(), hour < 24, take(":"), let minute = pair(), minute < 60
    else { return nil }
    var second = 0
    var fraction: ArraySlice<UInt8> = []
    if take(":") {
      guard let read = pair(), read < 60 else { return nil }
      second = read
      if take(".") {
        fraction = takeDigits()
        if fraction.isEmpty { return nil }
      }
    }
    guard let offset = offset(), rest.isEmpty else { return nil }
    return (day * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset), fraction)
  }

  /// The seconds that the local time is ahead of UTC.
  private mutating func offset() -> Int? {
    if take("Z") { return 0 }
    let sign = take("-") ? -1 : 1
    guard sign < 0 || take("+"), let hours = pair(), hours < 24, take(":"), let minutes = pair(), minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func takeDigits() -> ArraySlice<UInt8> {
    let digits = rest.prefix { (48...57).contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits
  }

  private mutating func pair() -> Int? {
    guard rest.count >= 2, rest.prefix(2).allSatisfy({ (48...57).contains($0) }) else { return nil }
    let value = rest.prefix(2).reduce(0) { $0 * 10 + Int($1 - 48) }
    rest = rest.dropFirst(2)
    return value
  }
}
