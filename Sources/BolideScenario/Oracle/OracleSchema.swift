/// The model of the oracle's scenarios: each kind of relationship and delete rule, a derived count, a key and a tombstone.
enum OracleSchema {
  /// It stands in the scenario, so that what was found can be replayed anywhere.
  static let payload = """

    -- oracle.xml --
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
      <entity name="Fireball" representedClassName="Fireball">
        <attribute name="altitude" optional="YES" attributeType="Double"/>
        <attribute name="dateTimeStamp" attributeType="Date" preservesValueInHistoryOnDeletion="YES"/>
        <attribute name="radiatedEnergy" optional="YES" attributeType="Double"/>
        <relationship name="groups" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="FireballGroup" inverseName="fireballs" inverseEntity="FireballGroup"/>
        <relationship name="observer" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Observer" inverseName="sightings" inverseEntity="Observer"/>
        <uniquenessConstraints>
          <uniquenessConstraint>
            <constraint value="dateTimeStamp"/>
          </uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="FireballGroup" representedClassName="FireballGroup">
        <attribute name="fireballCount" attributeType="Integer 64" derived="YES" \
    derivationExpression="fireballs.@count"/>
        <attribute name="name" attributeType="String" defaultValueString=""/>
        <relationship name="fireballs" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Fireball" inverseName="groups" inverseEntity="Fireball"/>
        <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Observer" inverseName="groups" inverseEntity="Observer"/>
      </entity>
      <entity name="Note" representedClassName="Note">
        <attribute name="text" attributeType="String" defaultValueString=""/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Observer" inverseName="notes" inverseEntity="Observer"/>
      </entity>
      <entity name="Observer" representedClassName="Observer">
        <attribute name="name" attributeType="String" defaultValueString=""/>
        <attribute name="noteCount" attributeType="Integer 64" derived="YES" derivationExpression="notes.@count"/>
        <relationship name="groups" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="FireballGroup" inverseName="keeper" inverseEntity="FireballGroup"/>
        <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade" \
    destinationEntity="Note" inverseName="owner" inverseEntity="Note"/>
        <relationship name="sightings" optional="YES" toMany="YES" deletionRule="Deny" \
    destinationEntity="Fireball" inverseName="observer" inverseEntity="Fireball"/>
      </entity>
    </model>

    """
}
