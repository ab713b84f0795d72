import { defineFaults } from '../fault.ts'

/** The DID Worker: plans, rosters and members of organizations, resolution, rotation reports. */
export const DID_FAULTS = defineFaults([
  {
    id: 'plan-of-any-source',
    promise: 'Organizations need a plan of their own.',
    find: 'const { planUntil, tier } = await this.#pay.standing(orgDid)',
    replace: 'const { until: planUntil, tier } = await this.#pay.standing(orgDid)',
    tests: ['test/organizations/licences.test'],
  },
  {
    id: 'roster-stranger',
    promise: 'Only officers read the roster.',
    find: "if (!officer.value) return err({ reason: 'forbidden' })",
    replace: '',
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'roster-revoked',
    promise: 'Removed members are not listed.',
    find: 'withRevoked: false',
    replace: 'withRevoked: true',
    tests: ['test/organizations/members-fold.test'],
  },
  {
    id: 'member-acceptance-key',
    promise: 'Nobody becomes a member without their own signature.',
    find: 'member.value?.deactivated === false && member.value.publicKeyB64u === publicKeyB64u',
    replace: 'member.value?.deactivated === false',
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'member-append-race',
    promise: 'Of two events at one place in a roster, one is refused.',
    find: 'epoch, head: this.#head(), inception, member, holder }, event, hash)',
    replace:
      'epoch, head: { sequence: sequence - 1, hash: event.statement.previousHash }, inception, member, holder }, event, hash)',
    tests: ['test/organizations/members-races.test'],
  },
  {
    id: 'membership-older',
    promise: 'Old news never replace newer ones.',
    find: 'SET sequence = ?2, binding = ?3 WHERE sequence < ?2',
    replace: 'SET sequence = ?2, binding = ?3',
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'membership-untold',
    promise: 'Members learn of every change.',
    find: 'if (hasArrived) this.#transaction.untold.told(memberDid',
    replace: 'if (hasArrived || !hasArrived) this.#transaction.untold.told(memberDid',
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'member-verify-ended',
    promise: 'A deactivated identity is nobody’s member.',
    find: 'if (!authority.value || authority.value.deactivated) return ok(unbound)',
    replace: 'if (!authority.value) return ok(unbound)',
    tests: ['test/organizations/members.test'],
  },
  {
    id: 'resolution-version-future',
    promise: 'No document is served for a time to come.',
    find: "kind: second > now + SKEW_MS ? 'unknown' : 'current'",
    replace: "kind: 'current'",
    tests: ['src/resolution/version.test'],
  },
  {
    id: 'resolution-other-did',
    promise: 'A DID resolves to its own document.',
    find: "if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now, 'core answered for another DID')",
    replace: '',
    tests: ['test/faults.test'],
  },
  {
    id: 'resolution-proof-kept',
    promise: 'A resolver signs what it returns.',
    find: 'const key = JSON.stringify([asked, result])',
    replace: 'const key = JSON.stringify([asked])',
    tests: ['test/resolution/proof.test'],
  },
  {
    id: 'rotation-told-active',
    promise: 'A rotation counts once core confirms it.',
    find: "if (found.value.rotationId !== rotationId || activatedAt === null) return err({ reason: 'rotation_not_active' })",
    replace: "if (activatedAt === undefined) return err({ reason: 'rotation_not_active' })",
    tests: ['rotation.test', 'rotation'],
  },
])
