import CComparators
import Foundation

/// Generated records as a document of the USGS feed: with the properties that the service sends and nobody stores.
enum FeedFile {
  /// Seconds from 1970 to 2001, in milliseconds.
  static let epoch: Int64 = 978_307_200_000

  /// Writes a feature collection.
  static func write(_ records: RecordSet, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw BenchmarkFailure("\(path) cannot be written") }
    defer { try? file.close() }
    var text = "{\"type\":\"FeatureCollection\",\"metadata\":{\"generated\":1700000000000,"
    text +=
      "\"title\":\"generated\",\"status\":200,\"api\":\"1.10.3\",\"count\":\(records.count)},\"features\":["
    for (index, quake) in records.records.enumerated() {
      if index > 0 { text += ",\n" }
      text += feature(quake)
      if text.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try file.write(contentsOf: Data((text + "]}\n").utf8))
  }

  private static func feature(_ quake: cmp_quake) -> String {
    let code = quake.code.string
    let net = String(code.prefix(2))
    let milliseconds = Int64((quake.time * 1_000).rounded()) + epoch
    let place = quake.place.string
    let link = "https://earthquakes.example.org/events/\(net)\(code)"
    return """
      {"type":"Feature","properties":{"mag":\(quake.magnitude),"place":"\(place)","time":\(milliseconds),\
      "updated":\(milliseconds + 900_000),"tz":null,"url":"\(link)","detail":"\(link).geojson",\
      "felt":null,"cdi":null,"mmi":null,"alert":null,"status":"\(quake.status.string)","tsunami":0,\
      "sig":\(quake.significance),"net":"\(net)","code":"\(code)","ids":",\(net)\(code),",\
      "sources":",\(net),","types":",nearby-cities,origin,phase-data,","nst":24,"dmin":0.0437,\
      "rms":0.18,"gap":61,"magType":"md","type":"earthquake","title":"M \(quake.magnitude) - \(place)"},\
      "geometry":{"type":"Point","coordinates":[\(quake.longitude),\(quake.latitude),\(quake.depth)]},\
      "id":"\(net)\(code)"}
      """
  }
}
