import { defineFaults } from '../fault.ts'

/** The DID Worker: plans, rosters and members of organizations, resolution, rotation reports. */
export const DID_FAULTS = defineFaults([
  {
    id: 'plan-of-any-source',
    about: 'Any tier opens the routes of organizations',
    edits: [
      {
        find: 'const { planUntil, tier } = await this.#pay.standing(orgDid)',
        replace: 'const { until: planUntil, tier } = await this.#pay.standing(orgDid)',
      },
    ],
    projects: ['did'],
    tests: ['test/organizations/licences.test'],
  },
  {
    id: 'roster-stranger',
    about: 'Anyone can read the roster of an organization',
    edits: [{ find: "if (!officer.value) return err({ reason: 'forbidden' })", replace: '' }],
    projects: ['did'],
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'roster-revoked',
    about: 'Revoked members are still listed',
    edits: [{ find: 'withRevoked: false', replace: 'withRevoked: true' }],
    projects: ['did'],
    tests: ['test/organizations/members-fold.test'],
  },
  {
    id: 'member-acceptance-key',
    about: 'An acceptance is accepted from a key that is not the member’s',
    edits: [
      {
        find: 'member.value?.deactivated === false && member.value.publicKeyB64u === publicKeyB64u',
        replace: 'member.value?.deactivated === false',
      },
    ],
    projects: ['did'],
    tests: ['test/organizations/members-standing.test'],
  },
  {
    id: 'member-append-race',
    about: 'Two events behind one head are both written',
    edits: [
      {
        find: 'epoch, head: this.#head(), member, holder }, event, hash)',
        replace:
          'epoch, head: { sequence: sequence - 1, hash: event.statement.previousHash }, member, holder }, event, hash)',
      },
    ],
    projects: ['did'],
    tests: ['test/organizations/members-races.test'],
  },
  {
    id: 'membership-older',
    about: 'A member’s list takes an older state that arrives late',
    edits: [
      { find: 'SET sequence = ?2, binding = ?3 WHERE sequence < ?2', replace: 'SET sequence = ?2, binding = ?3' },
    ],
    projects: ['did'],
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'membership-untold',
    about: 'What a member’s list could not be told is forgotten',
    edits: [
      {
        find: 'if (hasArrived) this.#transaction.untold.told(memberDid',
        replace: 'if (hasArrived || !hasArrived) this.#transaction.untold.told(memberDid',
      },
    ],
    projects: ['did'],
    tests: ['test/organizations/memberships.test'],
  },
  {
    id: 'member-verify-ended',
    about: 'A member whose identity was deactivated counts as bound',
    edits: [
      {
        find: 'if (!authority.value || authority.value.deactivated) return ok(unbound)',
        replace: 'if (!authority.value) return ok(unbound)',
      },
    ],
    projects: ['did'],
    tests: ['test/organizations/members.test'],
  },
  {
    id: 'resolution-version-future',
    about: 'A version in the future resolves to today’s document',
    edits: [{ find: "kind: second > now + SKEW_MS ? 'unknown' : 'current'", replace: "kind: 'current'" }],
    projects: ['did'],
    tests: ['src/resolution/version.test'],
  },
  {
    id: 'resolution-other-did',
    about: 'Core’s answer for another DID is resolved',
    edits: [
      {
        find: "if (authority.value.did !== did) return refusal('INTERNAL_ERROR', now, 'core answered for another DID')",
        replace: '',
      },
    ],
    projects: ['did'],
    tests: ['test/faults.test'],
  },
  {
    id: 'resolution-proof-kept',
    about: 'A cached signature is attached to a different result',
    edits: [{ find: 'const key = JSON.stringify([asked, result])', replace: 'const key = JSON.stringify([asked])' }],
    projects: ['did'],
    tests: ['test/resolution/proof.test'],
  },
  {
    id: 'rotation-told-active',
    about: 'A rotation is recorded as active without core’s confirmation',
    edits: [
      {
        find: "if (found.value.rotationId !== rotationId || activatedAt === null) return err({ reason: 'rotation_not_active' })",
        replace: "if (activatedAt === undefined) return err({ reason: 'rotation_not_active' })",
      },
    ],
    projects: ['did'],
    tests: ['rotation.test', 'rotation'],
  },
])
