import BolideStorage
import Testing

@testable import BolideFeeds

/// Documents in every feed's format, with invented values and something of everything.
private let seeds: [(feed: Feed, document: String)] = [
  (
    .jpl,
    #"{"signature":{"version":"1.2"},"count":"3","fields":["date","energy","lat","lat-dir","lon","lon-dir","vx"],"#
      + #""data":[["2021-01-02 03:04:05","2.9","1.5","S","20.25","W",null],[null,3.5,null,null,null,null,"-1.5e2"],"#
      + "\n[\"2021-01-02 03:04:06\",\"1e999\",\"0.0\",\"N\",\"1\",\"E\",[{}]]]}"
  ),
  (
    .usgs,
    #"{"type":"FeatureCollection","metadata":{"count":2,"title":"é漢😀"},"features":[{"type":"Feature","properties":"#
      + #"{"mag":-0.5,"place":"5 km \"N\" of \u00c9\ud83d\ude00","time":1626972577731,"updated":1626985059894,"#
      + #""tz":null,"net":"zz","code":"a1","ids":",zza1,","more":[true,false,{"x":1e-7}]},"geometry":"#
      + #"{"type":"Point","coordinates":[-120.5,35.25,-1.9]},"id":"zza1"},"#
      + "\n {\"properties\":{\"net\":\"zz\",\"code\":\"b\\ud800\",\"mag\":null},\"geometry\":null}],\"bbox\":[1,2]}"
  ),
  (
    .usgsCSV,
    "time,latitude,longitude,depth,mag,magType,net,id,updated,place,type,status\r\n"
      + "2021-06-12T16:35:17.280Z,36.5,-121.13,1.89,1.92,md,zz,zz73,2021-06-12T16:36:55.753Z,\"1km \"\"E\"\", é\",quake,x\r\n"
      + ",,,,,,zz,zz74,,\"two\nlines\",,\r\nnow,x,1e999,,,,zz,aa,,,,\r\n"
  ),
  (
    .cneosCSV,
    "\"Peak Brightness Date/Time (UT)\",\"Latitude (deg.)\",\"Longitude (deg.)\",\"Total Radiated Energy (J)\"\n"
      + "\"2021-01-02 03:04:05\",\"1.5S\",\"20.25E\",\"20.6e10\"\n\"2021-01-02 03:04:06\",\"\",\"\",\"1e9\"\n"
  ),
  (
    .todos,
    #"[{"userId":1,"title":"Buy \u00fcber","completed":false},{"title":"b","completed":true,"dueDate":"#
      + #""2001-01-01T00:00:01Z"},{"title":null}, [], 7]"#
  ),
]

/// Bytes that mean something to one of the readers.
private let telling =
  Array("\"\\,:{}[]\n\r 0123456789.-+eEuNSWtfn\u{FEFF}é😀\0\u{1}".utf8) + [0x80, 0xC0, 0xED, 0xF5, 0xFF]

@Suite struct MutationTests {
  /// The message quotes what stands at a fault, which depends on how many bytes are at hand.
  private func comparable(_ decoded: Decoded) -> Decoded {
    var copy = decoded
    copy.message = ""
    return copy
  }

  @Test(arguments: seeds.indices)
  func `the result does not depend on how a document arrives`(_ index: Int) {
    let (feed, document) = seeds[index]
    let bytes = Array(document.utf8)
    let whole = decode(feed, bytes)
    #expect(whole.code == nil)
    #expect(!whole.rows.isEmpty)
    for piece in [1, 2, 3, 7, 16, 33] {
      for capacity in [16, 17, 24, 64] {
        #expect(
          decode(feed, bytes, piece: piece, window: (capacity, 1 << 12)) == whole, "\(piece), \(capacity)")
      }
    }
  }

  /// F16.
  @Test(arguments: seeds.indices)
  func `every document that is cut short is refused`(_ index: Int) {
    let (feed, document) = seeds[index]
    let bytes = Array(document.utf8)
    for count in 0..<bytes.count {
      let decoded = decode(feed, Array(bytes.prefix(count)))
      switch feed {
      case .jpl, .usgs, .todos:
        #expect(decoded.code == (count == 0 ? "feed.not-the-feed" : "feed.truncated"), "\(count)")
      case .usgsCSV, .cneosCSV:
        // A table that is cut at the end of a field or line is a shorter table.
        break
      }
    }
  }

  @Test(arguments: seeds.indices)
  func `a damaged document is decoded or refused, the same way however it arrives`(_ index: Int) {
    let (feed, document) = seeds[index]
    let original = Array(document.utf8)
    let seed: UInt64 = 0x2021_0612 + UInt64(index)
    var generator = SplitMix64(seed: seed)
    for round in 0..<600 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[place] = telling.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(telling.randomElement(using: &generator) ?? 0, at: place)
        case 2: bytes.remove(at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + 20))
        case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 20)], at: place)
        default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
      }
      let whole = decode(feed, bytes)
      let piece = Int.random(in: 1...40, using: &generator)
      let capacity = Int.random(in: 16...80, using: &generator)
      let parts = decode(feed, bytes, piece: piece, window: (capacity, 1 << 12))
      #expect(comparable(parts) == comparable(whole), "seed \(seed), round \(round)")
    }
  }
}
