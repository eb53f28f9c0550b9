/// Small documents of the feeds, with invented values.
enum Document {
  /// Three fireballs, one of them without a place.
  static let fireballs = """
    {"signature":{"version":"1.2","source":"invented"},"count":"3",\
    "fields":["date","energy","impact-e","lat","lat-dir","lon","lon-dir","alt","vel"],\
    "data":[["2031-01-02 03:04:05","2.5","0.1","10.5","N","20.25","W","30.1","15.5"],\
    ["2031-02-03 04:05:06","120","3.5","1.0","S","2.0","E",null,null],\
    ["2031-03-04 05:06:07","3","0.12",null,null,null,null,null,null]]}
    """

  /// The second fireball with another energy, and a new one.
  static let moreFireballs = """
    {"count":2,"fields":["date","energy","impact-e","lat","lat-dir","lon","lon-dir","alt","vel"],\
    "data":[["2031-02-03 04:05:06","121","3.5","1.0","S","2.0","E",null,null],\
    ["2031-04-05 06:07:08","9.5","0.3","5","N","6","E","40","20"]]}
    """

  /// Two quakes, of which the second lacks a magnitude.
  static let quakes = """
    {"type":"FeatureCollection","metadata":{"count":2},"features":[\
    {"type":"Feature","id":"xx1001","properties":{"mag":4.5,"place":"10 km N of Nowhere","time":1900000000000,\
    "updated":1900000100000,"net":"xx","code":"1001","ids":",xx1001,","status":"reviewed","type":"earthquake",\
    "magType":"mb"},"geometry":{"type":"Point","coordinates":[12.5,-3.25,10]}},\
    {"type":"Feature","id":"xx1002","properties":{"mag":null,"place":"Somewhere","time":1900000200000,\
    "updated":1900000300000,"net":"xx","code":"1002","ids":",xx1002,","status":"automatic","type":"earthquake",\
    "magType":null},"geometry":{"type":"Point","coordinates":[0,0,0]}}]}
    """

  static let todos = """
    [{"userId":1,"id":1,"title":"water the plants","completed":false},\
    {"userId":1,"id":2,"title":"feed the cat","completed":true}]
    """

  /// A scenario that passes on every store.
  static let scenario = """
    # Two groups
    model FireballWatch
    context view author="tester"

    view> insert FireballGroup name="Bright"
    view> insert FireballGroup name="Dim"
    view> save
    ----
    inserted 2  updated 0  deleted 0
    transaction 1  author "tester"

    """
}
