import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import * as worker from '../../src/index.ts'

const ORG = 'did:svc:org-of-the-seeds'
const MEMBER = 'did:svc:member-of-the-seeds'
const BOUND = {
  org: ORG,
  member: {
    memberDid: MEMBER,
    provider: 'login.example.com',
    subjectHash: 'aa',
    role: 'member',
    permissions: ['content:sign'],
    expiresAt: null,
    suspension: { from: 5, until: null },
    isRevoked: false,
    isAccepted: true,
    acceptedAt: 4,
    acceptedInception: null,
    latest: { sequence: 2, hash: 'bb', event: 'suspend' },
  },
  recordedAt: 10,
}

describeUpgrades(
  worker,
  {
    OrganizationObject: seeded(env.ORGANIZATIONS, [
      {
        schema: 'organization',
        version: 1,
        rows: `
          INSERT INTO facts (name, value) VALUES ('did', '"${ORG}"');
          INSERT INTO events (sequence, hash, event, accepted_at) VALUES (2, 'bb', '{"signature":"of the seeds"}', 10);
          INSERT INTO members (member, provider, subject_hash, role, permissions, expires_at, is_suspended,
            suspended_from, suspended_until, is_revoked, is_accepted, acceptance_issued_at, sequence, hash, kind,
            accepted_at)
            VALUES ('${MEMBER}', 'login.example.com', 'aa', 'member', '["content:sign"]', NULL, 1, 5, NULL, 0, 1, 4, 2,
              'bb', 'suspend', 10);
          INSERT INTO untold (member, attempts, due_at) VALUES ('${MEMBER}', 0, 4000000000000);`,
        read: async (organization) => [
          await organization.events(1, 5),
          await organization.members({ after: '', limit: 5, withRevoked: true }),
        ],
        expected: [
          { head: { sequence: 2, hash: 'bb' }, events: [{ signature: 'of the seeds' }], acceptedAt: [10] },
          { head: { sequence: 2, hash: 'bb' }, members: [BOUND] },
        ],
      },
    ]),
    MembershipsObject: seeded(env.MEMBERSHIPS, [
      {
        schema: 'memberships',
        version: 1,
        rows: `INSERT INTO bindings (org, sequence, binding) VALUES ('${ORG}', 2, '${JSON.stringify(BOUND)}')`,
        read: (memberships) => memberships.list('', 5),
        expected: [BOUND],
      },
    ]),
  },
  env,
)
