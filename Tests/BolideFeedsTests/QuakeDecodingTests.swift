import Testing

@testable import BolideFeeds

/// A feature collection of the given features.
private func collection(_ features: String, more: String = "") -> String {
  #"{"type":"FeatureCollection",\#(more)"features":[\#(features)]}"#
}

/// A feature with the given properties besides net and code.
private func feature(_ properties: String, geometry: String = #","geometry":null"#) -> String {
  #"{"type":"Feature","properties":{"net":"zz","code":"1",\#(properties)}\#(geometry),"id":"zz1"}"#
}

private let plain: Set<String> = ["code", "magnitude", "place", "time"]

@Suite struct QuakeDecodingTests {
  /// F27: what is not known is passed over.
  @Test func `a feature gives all attributes`() {
    let text = collection(
      #"{"type":"Feature","properties":{"mag":1.96,"place":"11 km NW of Somewhere","time":1626972577731,"#
        + #""updated":1626985059894,"tz":null,"url":"https://example.org/\u002e","felt":3,"status":"reviewed","#
        + #""net":"zz","code":"a1","ids":",zza1,","nst":35,"magType":"md","type":"earthquake","more":{"a":[1,{}]}},"#
        + #""geometry":{"type":"Point","coordinates":[-120.5,35.25,10]},"id":"zza1"}"#,
      more: #""metadata":{"generated":1,"count":1},"#)
    let decoded = decode(.usgs, text)
    #expect(
      decoded.rows == [
        #"code="a1" net="zz" id="zza1" ids=",zza1," status="reviewed" type="earthquake" magType="md""#
          + #" place="11 km NW of Somewhere" updated=648677859.894 time=648665377.731 magnitude=1.96"#
          + " latitude=35.25 longitude=-120.5 depth=10.0"
      ])
    #expect(decoded.warnings == [])
    #expect(
      decode(.usgs, text, attributes: plain, keyedByNet: false).rows == [
        #"code="a1" place="11 km NW of Somewhere" time=648665377.731 magnitude=1.96"#
      ])
  }

  /// F10: a magnitude may be null, absent, zero or negative.
  @Test(arguments: [
    (#""mag":null"#, #"code="1" net="zz" magnitude=nil"#), (#""mag":0"#, #"code="1" net="zz" magnitude=0.0"#),
    (#""mag":-0.5"#, #"code="1" net="zz" magnitude=-0.5"#), (#""felt":1"#, #"code="1" net="zz""#),
    (#""mag":1,"mag":2"#, #"code="1" net="zz" magnitude=2.0"#),
    (#""m\u0061g":-0.0"#, #"code="1" net="zz" magnitude=0.0"#),
  ])
  func `null clears, absence does not`(_ properties: String, _ expected: String) {
    let decoded = decode(.usgs, collection(feature(properties)), attributes: ["code", "net", "magnitude"])
    #expect(decoded.rows == [expected])
  }

  /// F15.
  @Test(arguments: [
    (#","geometry":{"coordinates":[1.5,2.5,-1.9]}"#, " latitude=2.5 longitude=1.5 depth=-1.9"),
    (#","geometry":{"coordinates":[1.5,2.5]}"#, " latitude=2.5 longitude=1.5 depth=nil"),
    (#","geometry":{"coordinates":[1.5,2.5,null]}"#, " latitude=2.5 longitude=1.5 depth=nil"),
    (#","geometry":{"coordinates":[1.5,2.5,3,4]}"#, " latitude=2.5 longitude=1.5 depth=3.0"),
    (#","geometry":{"coordinates":[]}"#, " latitude=nil longitude=nil depth=nil"),
    (#","geometry":null"#, " latitude=nil longitude=nil depth=nil"), ("", ""),
    (#","geometry":{"type":"Point"}"#, ""),
  ])
  func `a place may lack its parts`(_ geometry: String, _ expected: String) {
    let decoded = decode(
      .usgs, collection(feature(#""mag":1"#, geometry: geometry)),
      attributes: ["code", "net", "latitude", "longitude", "depth"])
    #expect(decoded.rows == [#"code="1" net="zz""# + expected])
  }

  @Test(arguments: [
    (#"7"#, "record: a number stands where a feature is expected"),
    (#"{"properties":null,"id":"x"}"#, "net: is missing"),
    (#"{"properties":[],"id":"x"}"#, "properties: an array"),
    (#"{"properties":{"net":"zz"}}"#, "code: is missing"),
    (#"{"properties":{"net":"zz","code":null}}"#, "code: is null"),
    (#"{"properties":{"net":"zz","code":""}}"#, "code: is empty"),
    (#"{"properties":{"net":"zz","code":5}}"#, "code: a number stands where a text is expected"),
    (feature(#""mag":"strong""#), "mag: a text stands where a number is expected"),
    (feature(#""mag":1e999"#), "mag: “1e999” is too large for a double"),
    (feature(#""time":1.5"#), "time: “1.5” is no whole number of milliseconds in range"),
    (feature(#""time":99999999999999999999"#), "time: “99999999999999999999” is no whole number"),
    (feature(#""place":"\ud800""#), "place: an escape is half of a surrogate pair"),
    (feature(#""mag":1"#, geometry: #","geometry":{"coordinates":[[1,2]]}"#), "longitude: an array stands"),
    (feature(#""mag":1"#, geometry: #","geometry":7"#), "geometry: a number stands"),
  ])
  func `a bad feature is skipped alone`(_ bad: String, _ reason: String) {
    let good = feature(#""mag":1"#)
    let decoded = decode(.usgs, collection("\(good),\(bad),\(good)"))
    #expect(decoded.code == nil)
    #expect(decoded.rows.count == 2)
    #expect(decoded.skipped.count == 1)
    #expect(decoded.skipped[0].hasPrefix("2 \(reason)"), "\(decoded.skipped)")
  }

  @Test(arguments: [
    ("mag", #""place":"x","time":1"#), ("place", #""mag":1,"time":1,"place":null"#),
    ("time", #""mag":1,"place":"x""#),
  ])
  func `a plain quake needs all four attributes`(_ name: String, _ properties: String) {
    let decoded = decode(.usgs, collection(feature(properties)), attributes: plain, keyedByNet: false)
    #expect(decoded.rows == [])
    #expect(decoded.skipped[0].hasPrefix("1 \(name): is "))
  }

  /// F14: the withdrawn quake.
  @Test func `a withdrawn quake is marked and its values are not blanked`() {
    let decoded = decode(.usgs, collection(feature(#""status":"deleted","mag":null,"place":null"#)))
    #expect(decoded.rows == [#"code="1" net="zz" id="zz1" status="deleted""#])
  }

  @Test(arguments: [
    ("", "feed.not-the-feed"), (" \n", "feed.not-the-feed"), ("<html>", "feed.not-the-feed"),
    ("[]", "feed.not-the-feed"), (#"{"type":"Feature"}"#, "feed.not-the-feed"),
    (#"{"type":"FeatureCollection","metadata":{"status":400,"error":"bad request"}}"#, "feed.not-the-feed"),
    (#"{"features":{}}"#, "feed.not-the-feed"), (#"{"features":[],"features":[]}"#, "feed.not-the-feed"),
    (#"{"features":[]"#, "feed.truncated"), (#"{"features":[{"properties":{"#, "feed.truncated"),
    (#"{"features":[]}x"#, "feed.trailing"), ("{\"features\":[{\"id\":\"\u{1}\"}]}", "feed.syntax"),
    ("\u{1F}\u{8B}", "feed.not-the-feed"),
  ])
  func `what is not the feed is refused whole`(_ text: String, _ code: String) {
    #expect(decode(.usgs, text).code == code)
  }

  /// F8 and F24.
  @Test func `no features is a success`() {
    #expect(decode(.usgs, collection("")) == Decoded())
    #expect(decode(.usgs, "\u{FEFF}" + collection("")) == Decoded())
    #expect(decode(.usgs, collection("", more: #""metadata":{"count":2},"#)).warnings.count == 1)
  }
}

@Suite struct QuakeTableTests {
  private let heading = "time,latitude,longitude,depth,mag,magType,nst,net,id,updated,place,type,status"
  private let row =
    #"2021-06-12T16:35:17.280Z,36.5,-121.13,1.89,1.92,md,21,zz,zz73,2021-06-12T16:36:55.753Z,"1km E of A, B",earthquake,automatic"#

  @Test func `the table gives the same values as the collection, and no ids`() {
    let decoded = decode(.usgsCSV, heading + "\n" + row + "\n")
    #expect(
      decoded.rows == [
        #"code="73" net="zz" id="zz73" status="automatic" type="earthquake" magType="md" place="1km E of A, B""#
          + " updated=645208615.753 time=645208517.28 magnitude=1.92 latitude=36.5 longitude=-121.13 depth=1.89"
      ])
    #expect(decoded.warnings == [])
    #expect(decode(.usgsCSV, heading + "\n" + row).warnings.count == 1)
    #expect(
      decode(.usgsCSV, heading + "\n" + row, attributes: plain, keyedByNet: false).rows == [
        #"code="73" net="zz" id="zz73" place="1km E of A, B" time=645208517.28 magnitude=1.92"#
      ])
  }

  @Test func `bad records are skipped with their reason`() {
    let rows = [
      ",,,,,,,zz,zz1,,,,", ",,,,,,,zz,aa1,,,,", ",,,,,,,zz,zz,,,,", ",,,,,,,,zz1,,,,", ",,,,x,,,zz,zz1,,,,",
      "now,,,,,,,zz,zz1,,,,", ",,,,,,,zz,zz1,,pl\"ace,,",
    ]
    let decoded = decode(.usgsCSV, heading + "\n" + rows.joined(separator: "\n") + "\n")
    #expect(decoded.rows.count == 1)
    #expect(
      decoded.skipped.map { String($0.prefix { $0 != "@" }.dropLast()) } == [
        "2 id: “aa1” does not begin with the net “zz”", "3 id: “zz” does not begin with the net “zz”",
        "4 net: is null", "5 mag: “x” is no number", "6 time: “now” is no date",
        "7 place: a quotation mark stands inside a field",
      ])
  }

  @Test func `what is not the table is refused whole`() {
    #expect(decode(.usgsCSV, "").code == "feed.not-the-feed")
    #expect(decode(.usgsCSV, "<!DOCTYPE html>").code == "feed.not-the-feed")
    #expect(decode(.usgsCSV, "time,mag,net\n").message.contains("“id”"))
    #expect(decode(.usgsCSV, "time,net,id\n", keyedByNet: false).message.contains("“mag”"))
    #expect(decode(.usgsCSV, "net,id,net\n").code == "feed.not-the-feed")
    #expect(
      decode(.usgsCSV, heading)
        == Decoded(warnings: ["the last line has no end: the document may have been cut off there"]))
    #expect(decode(.usgsCSV, heading + "\n") == Decoded())
  }
}

@Suite struct TodoDecodingTests {
  @Test func `items give title and state`() {
    let text =
      #"[{"userId":1,"id":1,"title":"Buy \u00fcbergroße milk","completed":false},"#
      + #"{"title":"b","completed":true,"dueDate":"2001-01-01T00:00:01Z","createdAt":null},{"title":"c"}]"#
    #expect(
      decode(.todos, text).rows == [
        #"name="Buy übergroße milk" done=false"#, #"name="b" done=true createdAt=nil dueDate=1.0"#,
        #"name="c""#,
      ])
  }

  @Test func `bad items are skipped and what is no list is refused`() {
    let decoded = decode(
      .todos, #"[{"completed":true},{"title":"a","completed":1},7,{"title":"b","dueDate":"x"}]"#)
    #expect(decoded.rows == [])
    #expect(decoded.skipped.count == 4)
    #expect(decode(.todos, "[]") == Decoded())
    for text in ["", "{}", "<html>", "null"] { #expect(decode(.todos, text).code == "feed.not-the-feed") }
    #expect(decode(.todos, "[{}").code == "feed.truncated")
  }
}
