import { defineFaults } from '../fault.ts'

/** The DID Worker: plans, rosters and members of organizations, resolution, rotation reports. */
export const DID_FAULTS = defineFaults([
  {
    id: 'plan-of-any-source',
    about: 'Any tier opens the routes of organizations',
    find: 'const { planUntil, tier } = await this.#pay.standing(orgDid)',
    replace: 'const { until: planUntil, tier } = await this.#pay.standing(orgDid)',
    tests: ['test/organizations/licences.test'],
  },
  {
    id: 'roster-stranger',
    about: 'Anyone can read the roster of an organization',
    find: "if (!officer.value) return err({ reason: 'forbidden' })",
    replace: '',
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'roster-revoked',
    about: 'Revoked members are still listed',
    find: 'withRevoked: false',
    replace: 'withRevoked: true',
    tests: ['test/organizations/members-fold.test'],
  },
  {
    id: 'member-acceptance-key',
    about: 'An acceptance is accepted from a key that is not the member’s',
    find: 'member.value?.deactivated === false && member.value.publicKeyB64u === publicKeyB64u',
    replace: 'member.value?.deactivated === false',
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'member-append-race',
    about: 'Two events behind one head are both written',
    find: 'epoch, head: this.#head(), member, holder }, event, hash)',
    replace:
      'epoch, head: { sequence: sequence - 1, hash: event.statement.previousHash }, member, holder }, event, hash)',
    tests: ['test/organizations/members-races.test'],
  },
  {
    id: 'membership-older',
    about: 'A member’s list takes an older state that arrives late',
    find: 'SET sequence = ?2, binding = ?3 WHERE sequence < ?2',
    replace: 'SET sequence = ?2, binding = ?3',
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'membership-untold',
    about: 'What a member’s list could not be told is forgotten',
    find: 'if (hasArrived) this.#transaction.untold.told(memberDid',
    replace: 'if (hasArrived || !hasArrived) this.#transaction.untold.told(memberDid',
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'member-verify-ended',
    about: 'A member whose identity was deactivated counts as bound',
    find: 'if (!authority.value || authority.value.deactivated) return ok(unbound)',
    replace: 'if (!authority.value) return ok(unbound)',
    tests: ['test/organizations/members.test'],
  },
  {
    id: 'resolution-version-future',
    about: 'A version in the future resolves to today’s document',
    find: "kind: second > now + SKEW_MS ? 'unknown' : 'current'",
    replace: "kind: 'current'",
    tests: ['src/resolution/version.test'],
  },
  {
    id: 'resolution-other-did',
    about: 'Core’s answer for another DID is resolved',
    find: "if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now, 'core answered for another DID')",
    replace: '',
    tests: ['test/faults.test'],
  },
  {
    id: 'resolution-proof-kept',
    about: 'A cached signature is attached to a different result',
    find: 'const key = JSON.stringify([asked, result])',
    replace: 'const key = JSON.stringify([asked])',
    tests: ['test/resolution/proof.test'],
  },
  {
    id: 'rotation-told-active',
    about: 'A rotation is recorded as active without core’s confirmation',
    find: "if (found.value.rotationId !== rotationId || activatedAt === null) return err({ reason: 'rotation_not_active' })",
    replace: "if (activatedAt === undefined) return err({ reason: 'rotation_not_active' })",
    tests: ['rotation.test', 'rotation'],
  },
])
