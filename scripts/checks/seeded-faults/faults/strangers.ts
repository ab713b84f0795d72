import { defineFaults } from '../fault.ts'

/** What a stranger can have computed, fetched, counted against others, or kept for good. */
export const STRANGER_FAULTS = defineFaults([
  {
    id: 'body-unmeasured',
    about: 'A JSON body is parsed whatever it holds',
    edits: [
      { find: "if (excess === null) return 'keep'", replace: "if (excess !== undefined) return 'keep'" },
      { find: 'if (bytes && excess === null) return ok(bytes)', replace: 'if (bytes) return ok(bytes)' },
    ],
    projects: ['service', 'consent'],
    tests: ['src/request/measured-body.test'],
  },
  {
    id: 'body-read-for-unknown-key',
    about: 'A body that an assertion binds is read for a key that core does not know',
    edits: [{ find: 'if (known && !known.ok) return null', replace: '' }],
    projects: ['provenance'],
    tests: ['text/unread-body'],
  },
  {
    id: 'append-of-a-swept-upload',
    about: 'A block may refer to a payload that the sweep has deleted meanwhile',
    edits: [{ find: 'return now - notedAt < MAX_UPLOAD_MS', replace: 'return now >= notedAt - MAX_UPLOAD_MS' }],
    projects: ['core'],
    tests: ['test/chain/orphans.test'],
  },
  {
    id: 'sweep-does-not-ask',
    about: 'The sweep deletes noted payloads that a block refers to',
    edits: [{ find: 'await this.delete(keys.filter((key) => !kept.has(key)))', replace: 'await this.delete(keys)' }],
    projects: ['core'],
    tests: ['test/chain/orphans.test'],
  },
  {
    id: 'nonces-in-one-shard',
    about: 'One object remembers the open nonces of all keys',
    edits: [{ find: 'return ((hash ^ (hash >>> 16)) & 0xffff) % SHARDS', replace: 'return (hash & 0) % SHARDS' }],
    projects: ['provenance'],
    tests: ['verification'],
  },
  {
    id: 'reads-not-shared',
    about: 'Each public read of an identity is a call of its object',
    edits: [
      {
        find: 'if (!background) return this.ask(did, work)',
        replace: 'if (background || !background) return this.ask(did, work)',
      },
    ],
    projects: ['core*'],
    tests: ['test/identity/shared-reads.test'],
  },
  {
    id: 'ipfs-small-blocks',
    about: 'A file of one-byte leaves has as many blocks fetched as the largest file',
    edits: [{ find: 'most: Math.min(most, MAX_BLOCKS)', replace: 'most: Math.max(most, MAX_BLOCKS)' }],
    projects: ['core*'],
    tests: ['test/ipfs/abuse.test'],
  },
  {
    id: 'ipfs-fetches-uncounted',
    about: 'What is fetched from the gateway is not limited',
    edits: [
      {
        find: 'const retryAfterSeconds = await this.#counters.take(FETCHES, caller)',
        replace: 'const retryAfterSeconds = Math.min(0, await this.#counters.take(FETCHES, caller))',
      },
    ],
    projects: ['core*'],
    tests: ['test/ipfs/abuse.test'],
  },
  {
    id: 'opt-out-unnamed',
    about: 'The opt-out check does not say who declared it',
    edits: [{ find: 'creator_did: record?.creatorDid ?? null,', replace: 'creator_did: null,' }],
    projects: ['consent'],
    tests: ['consent/reading'],
  },
  {
    id: 'malformed-counted-in-objects',
    about: 'A malformed request makes a counter',
    edits: [{ find: 'if (!input.ok) { window?.countMalformed(c)', replace: 'if (!input.ok) { await window?.count(c)' }],
    projects: ['service', 'core*'],
    tests: ['src/limits/window.test'],
  },
  {
    id: 'invites-kept',
    about: 'Requests for an invitation are kept for good',
    edits: [{ find: '() => sweepInvites(env.DB, scheduledTime),', replace: '' }],
    projects: ['core*'],
    tests: ['test/invites/invites.test'],
  },
  {
    id: 'account-row-left',
    about: 'A deleted account leaves its subjects at identity providers',
    edits: [{ find: "'opaque_records', 'subjects', 'known_devices',", replace: "'opaque_records', 'known_devices'," }],
    projects: ['auth'],
    tests: ['sessions/account-deletion'],
  },
  {
    id: 'guardian-requests-kept',
    about: 'Requests to guardians are kept for good',
    edits: [
      { find: '...forget.map((sql) => this.#db.prepare(sql).bind(forgetBefore, FORGOTTEN_AT_ONCE)),', replace: '' },
    ],
    projects: ['keys'],
    tests: ['guardians'],
  },
  {
    id: 'provider-events-kept',
    about: 'Events of the payment provider are kept for good',
    edits: [{ find: 'this.#forget(now - KEPT_MS),', replace: '' }],
    projects: ['pay'],
    tests: ['payments/forgetting'],
  },
  {
    id: 'unpaid-intents-kept',
    about: 'Payments that nobody made are kept for good',
    edits: [{ find: '.bind(createdAt - UNPAID_KEPT_MS)', replace: '.bind(0)' }],
    projects: ['pay'],
    tests: ['payments/forgetting'],
  },
  {
    id: 'refund-unheard',
    about: 'A refunded payment goes on giving its tier',
    edits: [{ find: "if (type === 'charge.refunded') return chargeNews(object)", replace: '' }],
    projects: ['pay'],
    tests: ['payments/refunds'],
  },
  {
    id: 'dispute-unheard',
    about: 'A disputed payment goes on giving its tier',
    edits: [{ find: "{ prefix: 'charge.dispute.', read: (_, object) => refundNews(object) },", replace: '' }],
    projects: ['pay'],
    tests: ['payments/refunds'],
  },
  {
    id: 'vectors-left',
    about: 'Vectors that no registration names stay in object storage',
    edits: [
      {
        find: "await this.#loose.note([key], now) await reaching('blobs', () => this.#blobs.put(key, body)) return key",
        replace: "await reaching('blobs', () => this.#blobs.put(key, body)); return key",
      },
    ],
    projects: ['provenance'],
    tests: ['capsules/deletion'],
  },
  {
    id: 'client-other-counts',
    about: 'The SDK believes a registration with other counts than those it sent',
    edits: [{ find: 'registered.chunk_count === body.chunks.length &&', replace: '' }],
    projects: ['client-node'],
    tests: ['similarity'],
  },
  {
    id: 'search-crowded-by-one',
    about: 'Texts of one identity can fill an answer',
    edits: [{ find: 'export const MAX_OF_REGISTRANT = 3', replace: 'export const MAX_OF_REGISTRANT = 30' }],
    projects: ['provenance'],
    tests: ['text/query'],
  },
])
