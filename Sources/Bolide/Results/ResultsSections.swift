import BolideStorage
import Foundation

/// How the rows of a list fall into sections (rule F-3).
///
/// A section comes from named properties of the row alone, so that a list keeps following single changes. Rows sort by
/// section first. A property may be at the end of to-one relationships.
public struct ResultsSections<Object: ManagedObject> {
  /// The paths of the properties that decide.
  let paths: [[String]]
  /// Makes the section from their values; the flag says whether the list begins with the lowest.
  let make: ([Value], Bool) -> any SectionValue
  /// Whether the direction follows a first sort term that is by the deciding property.
  let followsSort: Bool
  /// A key path that is none of properties.
  let problem: BolideError?

  private init(
    _ paths: [[String]], followsSort: Bool, problem: BolideError? = nil,
    make: @escaping ([Value], Bool) -> any SectionValue
  ) {
    self.paths = paths
    self.followsSort = followsSort
    self.problem = problem
    self.make = make
  }

  private init(
    keyPaths: [AnyKeyPath], followsSort: Bool, make: @escaping ([Value], Bool) -> any SectionValue
  ) {
    let paths = keyPaths.compactMap { ClassProbe.path($0) }
    let problem =
      paths.count == keyPaths.count
      ? nil
      : BolideError(.predicateUnsupportedExpression, "a section of \(Object.self) is by no property path")
    self.init(paths, followsSort: followsSort, problem: problem, make: make)
  }

  private static func split(_ name: String) -> [String] {
    name.split(separator: ".").map(String.init)
  }

  // MARK: By attribute

  /// One section for each value of an attribute, in the order of the values, nil first (rule V-4); the other way round
  /// where the request sorts by the attribute first, descending.
  public static func attribute<Value: AttributeValue>(_ path: KeyPath<Object, Value>) -> Self {
    Self(keyPaths: [path], followsSort: true) { AttributeSection($0[0], ascending: $1) }
  }

  /// One section for each value of an attribute that is named, such as `isCompleted` or `owner.name`.
  public static func attribute(_ name: String) -> Self {
    Self([split(name)], followsSort: true) { AttributeSection($0[0], ascending: $1) }
  }

  // MARK: By day

  /// One section for each calendar day of a date, rows without a date first; in the direction of a first sort term by
  /// that date.
  ///
  /// - Parameter timeZone: where the days begin; UTC unless you say otherwise.
  public static func day<Value: AttributeValue>(
    _ path: KeyPath<Object, Value>, in timeZone: TimeZone = .gmt
  ) -> Self {
    Self(keyPaths: [path], followsSort: true) { DaySection($0[0], in: timeZone, ascending: $1) }
  }

  /// One section for each calendar day of a date that is named.
  public static func day(_ name: String, in timeZone: TimeZone = .gmt) -> Self {
    Self([split(name)], followsSort: true) { DaySection($0[0], in: timeZone, ascending: $1) }
  }

  // MARK: By function

  /// Sections that a function makes of one property; their order is the order of its results.
  ///
  /// The function has to give equal results for equal values. If it depends on the clock, call
  /// ``FetchedResultsController/reevaluateSections()`` when time has passed.
  public static func by<A: AttributeValue, Section: Comparable & Sendable>(
    _ a: KeyPath<Object, A>, _ section: @escaping (A) -> Section
  ) -> Self {
    Self(keyPaths: [a], followsSort: false) { values, _ in
      ComparableSection(wrapped: section(A(values[0]) ?? A.placeholder))
    }
  }

  /// Sections that a function makes of two properties, as one does of one.
  public static func by<A: AttributeValue, B: AttributeValue, Section: Comparable & Sendable>(
    _ a: KeyPath<Object, A>, _ b: KeyPath<Object, B>, _ section: @escaping (A, B) -> Section
  ) -> Self {
    Self(keyPaths: [a, b], followsSort: false) { values, _ in
      ComparableSection(
        wrapped: section(A(values[0]) ?? A.placeholder, B(values[1]) ?? B.placeholder))
    }
  }

  /// Sections that a function makes of three properties, as one does of one.
  public static func by<
    A: AttributeValue, B: AttributeValue, C: AttributeValue, Section: Comparable & Sendable
  >(
    _ a: KeyPath<Object, A>, _ b: KeyPath<Object, B>, _ c: KeyPath<Object, C>,
    _ section: @escaping (A, B, C) -> Section
  ) -> Self {
    Self(keyPaths: [a, b, c], followsSort: false) { values, _ in
      ComparableSection(
        wrapped: section(
          A(values[0]) ?? A.placeholder, B(values[1]) ?? B.placeholder, C(values[2]) ?? C.placeholder))
    }
  }

  /// Sections that a function makes of properties that are named, from their values in the same order.
  public static func by<Section: Comparable & Sendable>(
    _ names: [String], _ section: @escaping ([Value]) -> Section
  ) -> Self {
    Self(names.map(split), followsSort: false) { values, _ in ComparableSection(wrapped: section(values)) }
  }
}
