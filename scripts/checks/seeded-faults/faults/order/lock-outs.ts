import { defineFaults } from '../../fault.ts'

/** What one statement of a thief, or an answer that was lost, could keep the owner from signing later. */
export const LOCK_OUT_FAULTS = defineFaults([
  {
    id: 'unread-log-blocks-updates',
    promise: 'A client that has not read the inception log can revoke what a client that has read it published.',
    find: 'if (!isOlderHead(signing.inception, newest.inception)) throw error',
    replace: 'if (newest) throw error',
    tests: ['test/directory/revocation'],
  },
  {
    id: 'officer-names-later-event',
    promise: 'A thief of an officer cannot name an event that its log does not have, which would lock the officer out.',
    find: 'if (!officer.hasNamed) return',
    replace: 'if (officer.identity === null) return',
    tests: ['test/inception/officers'],
  },
  {
    id: 'note-names-invented-event',
    promise:
      'A version of a note names an event that the log has, or nothing that its owner signs later could follow it.',
    find: 'if (!(await inceptionLogs.has(did, inception))) return err',
    replace: 'if (inceptionLogs === null) return err',
    tests: ['test/notes/append'],
  },
  {
    id: 'credential-names-invented-event',
    promise: 'A credential of a package names an event that the log of its account has.',
    find: 'await this.#inceptionLogs.has(did, credential.statement.inception)',
    replace: 'await this.#inceptionLogs.has(did, null)',
    tests: ['test/directory/packages'],
  },
  {
    id: 'package-version-without-end',
    promise: 'A package has no version which no later one of its device could exceed.',
    find: 'isFromTheFuture(Math.max(issuedAt, keyPackage.statement.issuedAt, version), now)',
    replace: 'isFromTheFuture(Math.max(issuedAt, keyPackage.statement.issuedAt), now + Math.min(version, 0))',
    tests: ['test/directory/packages'],
  },
  {
    id: 'backdated-device-event',
    promise: 'No event about a device is dated long before it was signed, which would put notes of its owner after it.',
    find: "return 'deviceId' in event.statement && event.statement.issuedAt < now - ACCEPTANCE_VALIDITY_MS",
    replace:
      "return 'deviceId' in event.statement && event.statement.issuedAt < Math.min(0, now) - ACCEPTANCE_VALIDITY_MS",
    tests: ['test/inception/devices.test'],
  },
  {
    id: 'devices-of-a-thief-count',
    promise: 'The keys that a thief of the root key has attested do not limit the next root key.',
    find: "'SELECT 1 FROM devices WHERE added_at > ? AND root_epoch = ?'",
    replace: "'SELECT 1 FROM devices WHERE added_at > ? AND root_epoch <= ?'",
    tests: ['test/inception/limits'],
  },
  {
    id: 'requests-of-a-thief-count',
    promise: 'Rotation requests of a thief of the root key do not limit the next root key.',
    find: "WHERE requested_at > ? AND epoch = ? AND (basis <> 'full' OR version = 1)",
    replace: "WHERE requested_at > ? AND epoch <= ? AND (basis <> 'full' OR version = 1)",
    tests: ['test/rotation/flood'],
  },
  {
    id: 'guardians-of-a-thief-count',
    promise: 'Requests to guardians by a thief of the root key do not limit the next root key.',
    find: 'WHERE did = ?2 AND expires_at > ?5 AND root_epoch = ?7) < ?6',
    replace: 'WHERE did = ?2 AND expires_at > ?5 AND root_epoch <= ?7) < ?6',
    tests: ['test/guardians/guardians'],
  },
  {
    id: 'expired-event-blocks-the-log',
    promise: 'An event that got no answer in time does not keep its owner from changing devices.',
    find: "(!TRANSIENT.has(error.status) || error.error === 'statement_expired')",
    replace: '!TRANSIENT.has(error.status)',
    tests: ['src/devices/devices.test'],
  },
  {
    id: 'revocation-names-invented-event',
    promise: 'A revocation of a package names an event that the log of its account has.',
    find: 'await this.#inceptionLogs.has(did, revocation.statement.inception)',
    replace: 'await this.#inceptionLogs.has(did, null)',
    tests: ['test/directory/revocation'],
  },
  {
    id: 'binding-names-invented-event',
    promise: 'An event of an organization names an event that the log of the organization has.',
    find: 'this.#inceptionLogs.has(statement.orgDid, statement.inception),',
    replace: 'this.#inceptionLogs.has(statement.orgDid, null),',
    tests: ['organizations/members-refusals'],
  },
  {
    id: 'member-names-invented-event',
    promise: 'An acceptance of a member names an event that the log of the member has.',
    find: 'this.#inceptionLogs.has(statement.memberDid, acceptance?.statement.inception ?? null),',
    replace: 'this.#inceptionLogs.has(statement.memberDid, null),',
    tests: ['organizations/members-refusals'],
  },
  {
    id: 'core-finds-events-of-nobody',
    promise: 'Core finds an event of an inception log by its number and its hash.',
    find: 'if (!signer?.hasNamed) return false',
    replace: 'if (!signer) return false',
    tests: ['test/internal/inception'],
  },
])
