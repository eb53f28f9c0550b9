import Testing

@testable import BolideFeeds

/// A document of the API with the given members.
private func document(_ fields: String, _ rows: String, more: String = "") -> String {
  #"{"signature":{"version":"1.2","source":"test"},\#(more)"fields":[\#(fields)],"data":[\#(rows)]}"#
}

private let usual = #""date","energy","impact-e","lat","lat-dir","lon","lon-dir","alt","vel""#

@Suite struct FireballDecodingTests {
  private let row = #"["2020-12-11 14:30:00","2.9","0.1","33.5","N","144.9","E","37.0","15.2"]"#
  private let values =
    "dateTimeStamp=629389800.0 latitude=33.5 longitude=144.9 altitude=37.0 velocity=15.2"
    + " radiatedEnergy=2.9 impactEnergy=0.1"

  /// F1.
  @Test func `columns are found by name in any order, others are passed over`() {
    #expect(decode(.jpl, document(usual, row)).rows == [values])
    let other = decode(
      .jpl,
      document(
        #""vx","vel","lon-dir","lon","alt","lat","lat-dir","impact-e","date","energy""#,
        #"[{"x":[1]},"15.2","E","144.9","37.0","33.5","N","0.1","2020-12-11 14:30:00","2.9"]"#))
    #expect(other.rows == [values])
    #expect(other.warnings == [])
  }

  @Test func `fields may stand after data`() {
    let late = #"{"data":[\#(row),\#(row)],"count":"2","fields":[\#(usual)]}"#
    #expect(decode(.jpl, late).rows == [values, values])
    #expect(decode(.jpl, late).warnings == [])
    #expect(decode(.jpl, #"{"data":[\#(row)]}"#).code == "feed.column-missing")
    #expect(decode(.jpl, #"{"data":[],"count":0}"#) == Decoded())
  }

  /// F1.
  @Test func `a missing optional column is not mentioned, a missing required one is refused`() {
    let short = decode(.jpl, document(#""date","energy""#, #"["2020-12-11 14:30:00","2.9"]"#))
    #expect(short.rows == ["dateTimeStamp=629389800.0 radiatedEnergy=2.9"])
    let none = decode(.jpl, document(#""energy","vel""#, #"["2.9","1"]"#))
    #expect(none.code == "feed.column-missing")
    #expect(none.message.contains("“date”"))
    #expect(none.message.contains("energy, vel"))
    #expect(decode(.jpl, document(#""date","lat""#, "")).message.contains("“lat-dir”"))
    #expect(decode(.jpl, document(#""date","energy","date""#, "")).code == "feed.not-the-feed")
  }

  /// F2.
  @Test func `numbers come as texts or bare, and null is no value`() {
    let rows = decode(
      .jpl,
      document(
        usual,
        #"["2020-12-11 14:30:00",2.9,"0.1",null,null,null,null,null,null],"#
          + #"["2020-12-11 14:30:01","3","",0.0,"S","0","W",null,1e1]"#)
    ).rows
    #expect(
      rows == [
        "dateTimeStamp=629389800.0 latitude=nil longitude=nil altitude=nil velocity=nil radiatedEnergy=2.9"
          + " impactEnergy=0.1",
        "dateTimeStamp=629389801.0 latitude=0.0 longitude=0.0 altitude=nil velocity=10.0 radiatedEnergy=3.0"
          + " impactEnergy=nil",
      ])
  }

  /// F3.
  @Test func `letters set the sign`() {
    func position(_ cells: String) -> Decoded {
      decode(
        .jpl,
        document(#""date","lat","lat-dir","lon","lon-dir""#, #"["2001-01-01 00:00:00",\#(cells)]"#),
        attributes: ["dateTimeStamp", "latitude", "longitude"])
    }
    #expect(position(#""33.5","N","144.9","E""#).rows == ["dateTimeStamp=0.0 latitude=33.5 longitude=144.9"])
    #expect(
      position(#""33.5","S","144.9","W""#).rows == ["dateTimeStamp=0.0 latitude=-33.5 longitude=-144.9"])
    #expect(position(#""33.5","E","144.9","W""#).skipped[0].hasPrefix("1 lat-dir: is no direction"))
    #expect(position(#""33.5",null,"144.9","W""#).skipped[0].hasPrefix("1 lat-dir: is null"))
    #expect(position(#""33.5","N","-144.9","W""#).skipped[0].hasPrefix("1 lon: the number is negative"))
    #expect(position(#"null,"N",null,7"#).rows == ["dateTimeStamp=0.0 latitude=nil longitude=nil"])
  }

  /// F8.
  @Test func `counts are texts or integers, and a wrong one is a warning`() {
    for count in ["1", "\"1\""] {
      #expect(decode(.jpl, document(usual, row, more: "\"count\":\(count),")).warnings == [])
    }
    let wrong = decode(.jpl, document(usual, row, more: "\"count\":\"3\","))
    #expect(wrong.rows.count == 1)
    #expect(wrong.warnings == ["the document says that it has 3 rows and has 1"])
    for empty in [
      #"{"count":"0"}"#, #"{"count":0,"signature":{}}"#, #"{"count":0,"fields":null,"data":null}"#,
    ] {
      #expect(decode(.jpl, empty) == Decoded(), "\(empty)")
    }
  }

  /// F1.
  @Test func `an unknown version is a warning`() {
    let newer = decode(.jpl, #"{"signature":{"version":"2.7"},"fields":[\#(usual)],"data":[\#(row)]}"#)
    #expect(newer.rows == [values])
    #expect(newer.warnings == ["the document's version “2.7” is not one that is known"])
  }

  /// F9.
  @Test func `one bad record does not spoil the others`() {
    let rows = (1...100).map { number in
      switch number {
      case 37: #"["2020-12-11 14:30:37","fast","0.1"]"#
      case 61: #"[null,"2.9","0.1"]"#
      case 80: #"["2020-12-11 14:30:37","1e999","0.1"]"#
      case 81: #"["2020-12-11 14:30:37","NaN","0.1"]"#
      case 82: #"["2020-12-11 14:30:37","1"]"#
      case 83: #""row""#
      case 84: #"["yesterday","1","1"]"#
      case 85: #"["2020-12-11 14:30:37",true,"1"]"#
      default: #"["2020-12-11 14:30:37","2.9","0.1"]"#
      }
    }
    let decoded = decode(.jpl, document(#""date","energy","impact-e""#, rows.joined(separator: ",\n")))
    #expect(decoded.code == nil)
    #expect(decoded.rows.count == 92)
    let expected = [
      "37 energy: “fast” is no number", "61 date: is null", "80 energy: “1e999” is too large for a double",
      "81 energy: “NaN” is no number", "82 record: the row has 2 cells where 3 are expected",
      "83 record: a text stands where a row is expected", "84 date: “yesterday” is no date",
      "85 energy: a boolean stands where a number is expected",
    ]
    #expect(decoded.skipped.map { String($0.prefix { $0 != "@" }.dropLast()) } == expected)
    #expect(decoded.skipped[0].hasSuffix(" 37:24"))
  }

  @Test(arguments: [
    ("", "feed.not-the-feed"), ("<!DOCTYPE html><html>", "feed.not-the-feed"), ("[]", "feed.not-the-feed"),
    ("{}", "feed.not-the-feed"), (#"{"message":"no such parameter","code":"400"}"#, "feed.not-the-feed"),
    (#"{"count":"3"}"#, "feed.not-the-feed"), (#"{"data":{}}"#, "feed.not-the-feed"),
    (#"{"fields":["date"],"data":[["2020-12-11 14:30:00"]]"#, "feed.truncated"),
    (#"{"fields":["date"],"data":[["2020-12-11"#, "feed.truncated"),
    (#"{"fields":["date"],"data":[]}]"#, "feed.trailing"),
    (#"{"fields":["date"],"data":[,]}"#, "feed.syntax"),
    (#"{"fields":["date"],"data":[],"data":[]}"#, "feed.not-the-feed"),
  ])
  func `what is not the feed is refused whole`(_ text: String, _ code: String) {
    let decoded = decode(.jpl, text)
    #expect(decoded.code == code)
    if !text.isEmpty, code == "feed.not-the-feed", !text.hasPrefix("{") {
      #expect(decoded.message.contains(excerpt(text.utf8)))
    }
  }

  @Test func `an error body is quoted`() {
    let decoded = decode(.jpl, #"{"moreInfo":"see the manual","message":"invalid units","code":"400"}"#)
    #expect(decoded.message.hasPrefix("the service answered with an error: “invalid units”"))
    #expect(
      decoded.message.hasSuffix(
        #"begins with “{"moreInfo":"see the manual","message":"invalid units","code”"#))
  }
}

@Suite struct FireballTableTests {
  private let heading =
    #""Peak Brightness Date/Time (UT)","Latitude (deg.)","Longitude (deg.)","Altitude (km)","Velocity (km/s)","#
    + #""vx","vy","vz","Total Radiated Energy (J)","Calculated Total Impact Energy (kt)""#

  @Test func `the table gives the same values as the API`() {
    let table =
      heading + "\r\n" + #""2020-12-11 14:30:00","33.5S","144.9W","37","15.2","1","-2","3","20.6e10","0.57""#
    #expect(
      decode(.cneosCSV, table).rows == [
        "dateTimeStamp=629389800.0 latitude=-33.5 longitude=-144.9 altitude=37.0 velocity=15.2"
          + " radiatedEnergy=20.6 impactEnergy=0.57"
      ])
    let east = heading + "\n" + #""2001-01-01 00:00:00","0.0N","107.2E","","","","","","758e10","14""# + "\n"
    #expect(
      decode(.cneosCSV, east).rows == [
        "dateTimeStamp=0.0 latitude=0.0 longitude=107.2 altitude=nil velocity=nil radiatedEnergy=758.0"
          + " impactEnergy=14.0"
      ])
  }

  @Test func `bad records are skipped with their reason`() {
    let rows = [
      #""2001-01-01 00:00:00","33.5","144.9W","","","","","","1e10","1""#,
      #""2001-01-01 00:00:00","33.5N","W","","","","","","1e10","1""#,
      #""","","","","","","","","1e10","1""#, #""2001-01-01 00:00:00","33.5N""#,
      #""2001-01-01 00:00:00","","","","","","","","much","1""#,
      #""2001-01-01 00:00:00","","","","","","","","","""#,
    ]
    let decoded = decode(.cneosCSV, heading + "\n" + rows.joined(separator: "\n") + "\n")
    #expect(decoded.rows.count == 1)
    #expect(
      decoded.skipped.map { String($0.prefix { $0 != "@" }.dropLast()) } == [
        "1 Latitude (deg.): “33.5” is no coordinate with a direction",
        "2 Longitude (deg.): “W” is no coordinate with a direction", "3 date: is null",
        "4 record: the record has 2 fields where 10 are expected",
        "5 Total Radiated Energy (J): “much” is no number",
      ])
  }

  @Test func `what is not the table is refused whole`() {
    #expect(decode(.cneosCSV, "").code == "feed.not-the-feed")
    #expect(decode(.cneosCSV, "<html>\n<body>").code == "feed.not-the-feed")
    #expect(decode(.cneosCSV, #"{"count":"0"}"#).code == "feed.not-the-feed")
    let missing = decode(.cneosCSV, "Latitude (deg.),Altitude (km)\n1N,2\n")
    #expect(missing.code == "feed.column-missing")
    #expect(missing.message.contains("Peak Brightness Date/Time (UT)"))
    #expect(decode(.cneosCSV, heading + "\n\"2001-01-01 00:00:00\",\"1N\"").code == "feed.truncated")
    #expect(decode(.cneosCSV, heading + "\n\"2001-01-01").code == "feed.truncated")
  }
}
