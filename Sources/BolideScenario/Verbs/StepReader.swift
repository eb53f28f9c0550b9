import Bolide
import BolideStorage
import CommandKit

/// Takes a step apart for its verb and checks what can be checked without a store.
package struct StepReader {
  package let step: Step
  /// The compiled schema of the store at this step; nil when it cannot be known before the run.
  let schema: SchemaMap?
  var arguments: ArgumentReader
  private var found: [ScenarioProblem] = []

  init(_ step: Step, schema: SchemaMap?) {
    self.step = step
    self.schema = schema
    arguments = ArgumentReader(step.arguments, of: step.verb.text, at: step.verb.position)
  }

  /// All problems so far.
  var problems: [ScenarioProblem] { found + arguments.problems }

  mutating func report(_ code: ScenarioProblem.Code, _ message: String, at position: SourcePosition) {
    found.append(ScenarioProblem(code, message, at: position))
  }

  /// Reports captures, predicates and rows that the verb does not take.
  mutating func check(_ usage: VerbUsage) {
    if let capture = step.capture, usage.capture == nil {
      report(.capture, "`\(usage.name)` leaves nothing to capture", at: capture.position)
    }
    if let predicate = step.predicate, !usage.takesPredicate {
      report(.predicate, "`\(usage.name)` takes no predicate", at: predicate.position)
    }
    if let row = step.rows.first, !usage.takesRows {
      report(.rowShape, "`\(usage.name)` takes no rows", at: row.position)
    }
  }

  mutating func finish() { arguments.finish() }

  // MARK: Entities and properties

  /// The next argument, which names an entity.
  mutating func takeEntity() -> String {
    guard let name = arguments.takeText("an entity") else { return "" }
    check(entity: name)
    return name.text
  }

  /// The option `entity=`.
  mutating func takeOptionEntity() -> String? {
    guard let name = arguments.takeOptionText("entity") else { return nil }
    check(entity: name)
    return name.text
  }

  private mutating func check(entity name: Name) {
    guard let schema, !schema.schema.entities.contains(where: { $0.name == name.text }) else { return }
    let names = schema.schema.entities.map(\.name)
    let hint = Suggestion.nearest(to: name.text, among: names).map { "; did you mean `\($0)`?" } ?? ""
    report(.unknownEntity, "the model has no entity `\(name.text)`\(hint)", at: name.position)
  }

  /// Reports a name that is no property of the entity.
  mutating func check(property name: Name, of entity: String) {
    guard let map = try? schema?.entity(entity), map.find(name.text) == nil else { return }
    let names = map.properties.map(\.name)
    let hint = Suggestion.nearest(to: name.text, among: names).map { "; did you mean `\($0)`?" } ?? ""
    report(.unknownProperty, "\(entity) has no property `\(name.text)`\(hint)", at: name.position)
  }

  /// The options that are left, as values for properties of the entity.
  mutating func takeAssignments(of entity: String?) -> [Assignment] {
    Assignment.list(arguments.takeOptions(), of: entity, checking: &self)
  }

  /// Reports values that the property cannot take.
  mutating func check(_ literals: [Literal], for name: Name, of entity: String) {
    guard let property = try? schema?.entity(entity).find(name.text) else { return }
    guard let attribute = property.attribute else {
      for literal in literals where !literal.namesObjects {
        report(.valueType, "\(entity).\(name.text) is a relationship and takes objects", at: literal.position)
      }
      return
    }
    if literals.count > 1 {
      report(.valueType, "\(entity).\(name.text) takes one value", at: literals[1].position)
    }
    for literal in literals {
      if case .expression = literal.kind { continue }
      if literal.value(as: attribute.type)?.fits(attribute.type) == true { continue }
      let numbers: Set<ValueType> = [.int16, .int32, .int64, .double, .float, .decimal]
      let isNumber = if case .number = literal.kind { numbers.contains(attribute.type) } else { false }
      report(
        .valueType,
        "\(entity).\(name.text) is of type \(attribute.type.rawValue), "
          + (isNumber ? "which has no such number" : "and this is another kind of value"),
        at: literal.position)
    }
  }

  /// Reads an expression over the rows of the entity, and reports what is wrong with it at its place in the file.
  mutating func expression(
    _ text: String, at position: SourcePosition, for name: String, of entity: String
  ) -> RowExpression? {
    do throws(BolideError) {
      let expression = try RowExpression(parsing: text)
      if let schema, let map = try? schema.entity(entity), map.find(name) != nil {
        try expression.check(for: name, of: map, in: schema)
      }
      return expression
    } catch {
      var position = position
      var message = error.message
      if let place = error.payload as? TextPosition {
        // The text begins after the backtick.
        position.column += place.column
        let prefix = "column \(place.column): "
        if message.hasPrefix(prefix) { message.removeFirst(prefix.count) }
      }
      report(.expression, message, at: position)
      return nil
    }
  }

  /// The option `columns=` as names of properties.
  mutating func takeColumns(of entity: String?) -> [String] {
    let names = arguments.takeOptionTexts("columns") ?? []
    if let entity { for name in names { check(property: name, of: entity) } }
    return names.map(\.text)
  }

  // MARK: References

  /// The next argument as references to objects.
  mutating func takeReferences() -> [ObjectReference] {
    arguments.takeList("an object, such as `$a` or `Fireball#1`").compactMap { literal in
      guard case .reference(let reference) = literal.kind else {
        arguments.report(
          "an object is written `$a`, `Fireball#1`, `Fireball[key]` or `Fireball{…}`", at: literal.position)
        return nil
      }
      check(reference, at: literal.position)
      return ObjectReference(reference: reference, position: literal.position)
    }
  }

  /// The next argument as one reference.
  mutating func takeReference() -> ObjectReference? {
    let references = takeReferences()
    if references.count > 1 {
      arguments.report("`\(step.verb.text)` takes one object here", at: references[1].position)
    }
    return references.first
  }

  mutating func check(_ reference: Reference, at position: SourcePosition) {
    guard let entity = reference.entity else { return }
    check(entity: Name(text: entity, position: position))
    if let member = reference.member { check(property: member, of: entity) }
    if case .predicate(_, let predicate) = reference.root { check(predicate, of: entity) }
  }

  // MARK: Predicates

  /// The text after `where`, checked against the entity.
  mutating func takePredicate(of entity: String?) -> PredicateText? {
    if let predicate = step.predicate, let entity { check(predicate, of: entity) }
    return step.predicate
  }

  private mutating func check(_ predicate: PredicateText, of entity: String) {
    guard let schema, let map = try? schema.entity(entity) else { return }
    check(predicate, in: EntityScope(map, in: schema))
  }

  private mutating func check(_ predicate: PredicateText, in scope: any ConditionScope) {
    do throws(BolideError) {
      _ = try Condition(parsing: predicate.text, in: scope)
    } catch {
      report(error, in: predicate)
    }
  }

  /// A problem with a predicate, at its place in the file instead of in the predicate.
  private mutating func report(_ error: BolideError, in predicate: PredicateText) {
    var position = predicate.position
    var message = error.message
    if let place = error.payload as? TextPosition {
      position.column += place.column - 1
      let prefix = "column \(place.column): "
      if message.hasPrefix(prefix) { message.removeFirst(prefix.count) }
    }
    report(.predicate, message, at: position)
  }

  /// The text after `where` as a filter on history.
  mutating func takeHistoryPredicate() -> PredicateText? {
    if let predicate = step.predicate {
      do throws(BolideError) {
        _ = try HistoryFilter(parsing: predicate.text)
      } catch {
        report(error, in: predicate)
      }
    }
    return step.predicate
  }

  // MARK: Files

  /// The next argument, which names a file that the scenario writes.
  mutating func takeScratchFile() -> Name? {
    guard let name = arguments.takeText("a file name") else { return nil }
    if let reason = PayloadHeader.problem(with: name.text) { arguments.report(reason, at: name.position) }
    return name
  }
}

/// A reference with its place.
struct ObjectReference: Sendable {
  var reference: Reference
  var position: SourcePosition
}
