import { env } from 'cloudflare:workers'
import { describeUpgrades, seeded } from '@svc/objects/testing'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import * as worker from '../../src/index.ts'

const SEEDED = 'an identifier of the seeds'
const HASH = identifierHash(SEEDED)
const DID = 'did:svc:of-the-seeds'

describeUpgrades(
  worker,
  {
    ConsentStoreObject: seeded(env.CONSENT_STORES, [
      {
        schema: 'consent-fixed-store',
        version: 1,
        rows: `
          INSERT INTO archived (bucket, segments) VALUES (5, 2);
          INSERT INTO records (id, bucket, identifier_hash, content_hash, creator_did, creator_hash, preferences, status, version,
            held_from, created_at, updated_at, revision) VALUES (1, 5, '${HASH}', '${SEEDED}', '${DID}', 'of the creator', '{"search":"allow"}', 'published', 1, 0, 10, 10, 2);
          INSERT INTO keys (id, user_id, public_key) VALUES (1, 'user', x'00');
          INSERT INTO acts (id, record, version, act_hash, action, preferences, state, key, signer, recorded_at)
            VALUES (1, 1, 1, x'01', 'create', '{"search":"allow"}', '{"search":"allow"}', 1, '{"kind":"root","epoch":0}', 10);
          INSERT INTO signatures (act, bucket, signature) VALUES (1, 5, x'02');
          INSERT INTO claims (record, creator_did, act_hash, preferences, key, signature, signer, recorded_at, spent)
            VALUES (1, 'did:svc:other', 'hash', '{"search":"disallow"}', 1, x'03', '{"kind":"root","epoch":0}', 11, '["hash"]');
          INSERT INTO former_acts (record, creator_did, acts) VALUES (1, 'did:svc:former', 3);
          INSERT INTO untold (record, creator_did, attempts, due_at) VALUES (1, '${DID}', 0, 4000000000000);`,
        read: async (store) => [
          await store.findMany([[5, [HASH]]]),
          await store.history(5, SEEDED, { at: 20, after: 0, limit: 5 }),
        ],
        expected: [
          [{ hash: SEEDED, creatorDid: DID, preferences: { search: 'allow' }, version: 1, updatedAt: 10 }],
          {
            record: {
              hash: SEEDED,
              creatorDid: DID,
              preferences: { search: 'allow' },
              version: 1,
              updatedAt: 10,
              status: 'published',
              heldFrom: 0,
              lastAct: '01',
              remembersAct: false,
              createdAt: 10,
              act: {
                action: 'create',
                preferences: { search: 'allow' },
                signature_b64u: 'Ag',
                signer: { kind: 'root', epoch: 0 },
                public_key_b64u: 'AA',
              },
            },
            acts: [
              {
                version: 1,
                action: 'create',
                preferences: { search: 'allow' },
                signature_b64u: 'Ag',
                signer: { kind: 'root', epoch: 0 },
                public_key_b64u: 'AA',
                recorded_at: 10,
              },
            ],
            state: { version: 1, preferences: { search: 'allow' } },
            former: null,
            claims: [
              {
                creator_did: 'did:svc:other',
                preferences: { search: 'disallow' },
                signature_b64u: 'Aw',
                signer: { kind: 'root', epoch: 0 },
                public_key_b64u: 'AA',
                recorded_at: 11,
                settled_at: null,
              },
            ],
          },
        ],
      },
    ]),
    ConsentCreatorObject: seeded(env.CONSENT_CREATORS, [
      {
        schema: 'consent-creator',
        version: 1,
        rows: `
          INSERT INTO holdings (identifier_hash, content_hash, revision, preferences, version, updated_at, is_claimed, acts)
            VALUES ('${HASH}', '${SEEDED}', 2, '{"search":"allow"}', 1, 10, 0, 1),
              ('another hash', 'another identifier', 1, NULL, NULL, NULL, 1, 0);
          INSERT INTO totals (id, records, claims, acts) VALUES (0, 1, 1, 1);
          INSERT INTO reserved (id, records, acts, until) VALUES ('act', 1, 1, 4000000000000);`,
        read: (list) => list.list(DID, null, 5),
        expected: {
          records: [{ hash: SEEDED, creatorDid: DID, preferences: { search: 'allow' }, version: 1, updatedAt: 10 }],
          kept: { consentRecords: 2, consentActs: 1 },
        },
      },
    ]),
  },
  env,
)
