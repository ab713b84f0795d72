/**
 * The TypeScript examples that ask a service, word for word: what stands between the marks is compared with the page.
 * Each is run twice: with the answers of an honest service, and with those of one that lies. What it then says is up to
 * the example: it must never take a lie for an answer.
 *
 * @module
 */
import { Client, Device, type Fetch, Identity, ServiceError, VerificationError } from '@svc/client'
import { rotationIdOf } from '@svc/client/functions'
import { safeVerifyChain } from '@svc/client/verify'
import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import type { SignedBlock } from '@svc/protocol/chain/chain'
import { expect } from 'vitest'
import { value, vector } from './examples.ts'
import { type Answer, members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore } from './small-core.fixture.ts'

const T = 1_790_000_000_000
const SEEDS = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(64).fill(2) }
const before = { core: 'https://core.example', did: 'https://did.example' }

/** A chain that was started before the example begins. */
async function started(fetch: Fetch): Promise<Identity> {
  const owner = await Identity.fromSeeds(SEEDS)
  const client = new Client({ ...before, identity: owner, fetch })
  await client.chain.genesis()
  return owner
}

/** The timestamp of the newest block is another one. */
const alteredBlock = ({ path, data }: Pick<Answer, 'path' | 'data'>) => {
  if (path.endsWith('/blocks')) Object.assign((members(data)['blocks'] as object[]).at(-1) ?? {}, { timestamp: '1' })
}

export const SERVICE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-chain': example({
    lie: alteredBlock,
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-chain
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(64).fill(2),
      })
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      let outcome = ''
      try {
        await client.chain.genesis()
        const payload = new TextEncoder().encode('hello')
        const { hash } = await client.chain.append({ payload, contentType: 'text/plain' })
        const head = await client.chain.verify()
        const { bytes } = await client.chain.payload(hash)
        outcome = `block ${head.index}: ${new TextDecoder().decode(bytes)}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = `does not verify: ${error.reason}`
      }
      // end
      return outcome
    },
    honest: (outcome) => expect(outcome).toBe('block 1: hello'),
    lied: (outcome) => expect(outcome).toBe('does not verify: invalid_signature'),
  }),
  'sdk-verification': example({
    lie: alteredBlock,
    run: async (tell) => {
      const honest = smallCore()
      await started(honest)
      const fetch = tell(honest)
      // example: sdk-verification
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(64).fill(2),
      })
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      let verdict = ''
      try {
        const head = await client.chain.verify()
        verdict = `verified up to block ${head.index}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        verdict = `${error.subject} does not verify: ${error.reason} at block ${error.where.block ?? 'unknown'}`
      }
      // end
      return verdict
    },
    honest: (verdict) => expect(verdict).toBe('verified up to block 0'),
    lied: (verdict) => expect(verdict).toBe('chain does not verify: invalid_signature at block 0'),
  }),
  'sdk-safe': example({
    lie: alteredBlock,
    run: async (tell) => {
      const honest = smallCore()
      const { did } = await started(honest)
      const answer = await tell(honest)('https://core.example/api/chain/blocks', {
        method: 'GET',
        headers: { authorization: 'any' },
        redirect: 'manual',
        signal: new AbortController().signal,
      })
      const { blocks } = (await answer.json<{ data: { blocks: SignedBlock[] } }>()).data
      // example: sdk-safe
      const result = await safeVerifyChain(blocks, did)
      const verdict = result.ok ? `verified up to block ${result.value.index}` : result.error.reason
      // end
      return verdict
    },
    honest: (verdict) => expect(verdict).toBe('verified up to block 0'),
    lied: (verdict) => expect(verdict).toBe('invalid_signature'),
  }),
  'sdk-discovery': example({
    lie: ({ count, body }) => {
      if (count === 2)
        Object.assign(members(body), { realm: 'https://other.example', realms: ['https://other.example'] })
    },
    run: async (tell) => {
      const fetch = tell(async () => Response.json(value('discovery-document')))
      // example: sdk-discovery
      let stored: string | undefined
      let outcome = ''
      try {
        const client = await Client.connect({ core: 'https://core.example', fetch })
        stored = JSON.stringify(client.discovery?.pin)
        const later = await Client.connect({ core: 'https://core.example', pinned: JSON.parse(stored), fetch })
        outcome = `${client.discovery?.trust}, then ${later.discovery?.trust}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = `does not verify: ${error.reason}`
      }
      // end
      return { outcome, stored }
    },
    honest: ({ outcome, stored }) => {
      expect(outcome).toBe('first-seen, then given')
      expect(members(JSON.parse(stored ?? ''))['keys']).toHaveLength(2)
    },
    lied: ({ outcome }) => expect(outcome).toBe('does not verify: foreign_realm'),
  }),
  'sdk-memory': example({
    // Besides, the service `older` hides the newest block.
    lie: ({ path, data }) => {
      if (path.endsWith('/append')) Object.assign(members(data), { hash: 'a7'.repeat(48) })
    },
    run: async (tell) => {
      const behind = smallCore()
      await started(behind)
      const [fetch, older] = [tell(smallCore()), tell(behind)]
      // example: sdk-memory
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(64).fill(2),
      })
      const options = { core: 'https://core.example', did: 'https://did.example', identity }
      let evidence = ''
      try {
        const client = new Client({ ...options, fetch })
        await client.chain.genesis()
        await client.chain.append({})
        const memory = JSON.stringify(await client.memory.export())
        const later = new Client({ ...options, fetch: older, memory: JSON.parse(memory) })
        await later.chain.append({})
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        evidence = JSON.stringify(error)
      }
      // end
      return evidence
    },
    honest: (evidence) =>
      expect(JSON.parse(evidence)).toMatchObject({
        name: 'RollbackError',
        reason: 'rollback',
        remembered: { position: 1, signed: { index: '1' } },
        received: { position: 0 },
      }),
    lied: (evidence) => expect(JSON.parse(evidence)).toMatchObject({ reason: 'different_answer' }),
  }),
  'sdk-recovery': example({
    lie: ({ path, data }) => {
      if (path.endsWith('/history'))
        Object.assign(members(data), { keys: members(members(value('key-history'))['data'])['keys'] })
    },
    run: async (tell) => {
      const honest = smallCore()
      await started(honest)
      const fetch = tell(honest)
      // example: sdk-recovery
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(64).fill(2),
      })
      const { kept, successor } = await identity.prepareRecovery({ realm: 'https://core.example' })
      const file = JSON.stringify(kept)
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', fetch })
      let outcome = ''
      try {
        const { status, needs } = await client.recovery(JSON.parse(file)).recover({ successor })
        outcome = `${status.stage}, needs ${needs}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = error.reason
      }
      // end
      return outcome
    },
    honest: (outcome) => expect(outcome).toBe('ready, needs device'),
    lied: (outcome) => expect(outcome).toBe('bad_genesis'),
    claims: ['deactivated'],
  }),
  'sdk-did': example({
    lie: ({ path, body }) => {
      if (path.startsWith('/1.0/identifiers/')) Object.assign(members(body), value('resolution'))
    },
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-did
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(64).fill(2),
      })
      const client = new Client({
        core: 'https://core.example',
        did: 'https://did.example',
        identity,
        origin: 'http://localhost:3000',
        fetch,
      })
      const resolved = await client.did.safeResolve(identity.did)
      const reason = resolved.ok ? resolved.value.didResolutionMetadata.error?.type : resolved.error.reason
      // end
      return reason
    },
    honest: (reason) => expect(reason).toBe('https://www.w3.org/ns/did#NOT_FOUND'),
    lied: (reason) => expect(reason).toBe('wrong_identity'),
    claims: ['type'],
  }),
  'sdk-rotation': example({
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-rotation
      const identity = await Identity.create()
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      const successor = await identity.successor()
      const signed = await client.rotation.makeRequest(successor, { version: 2 })
      const rotationId = rotationIdOf(signed.statement)
      // end
      return { signed, successor, rotationId }
    },
    honest: ({ signed, successor, rotationId }) => {
      const { did, publicKeyB64u: newPublicKeyB64u } = successor
      expect(signed.statement).toMatchObject({ did, epoch: 1, newPublicKeyB64u })
      expect(rotationId).toBe(rotationIdOf(signed.statement))
    },
  }),
  'sdk-device': example({
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-device
      const identity = await Identity.create()
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      const device = await Device.create({ origin: 'app:example', capabilities: ['chain:read'] })
      const acceptance = await device.acceptance(identity.did, { realm: client.realm })
      const code = await client.pairing.confirmationCodeOf({ acceptance })
      // end
      return { device, acceptance, code }
    },
    honest: ({ device, acceptance, code }) => {
      expect(acceptance.statement.deviceId).toBe(device.deviceId)
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/)
    },
  }),
  'sdk-contact': example({
    lie: ({ path, data }) => {
      if (path.endsWith('/contact-request'))
        Object.assign(members(data), { rootPublicKeyB64u: vector('operatorPublicKeyB64u') })
    },
    run: async (tell) => {
      const { assetId, challengeToken } = value('contact-request') as { assetId: string; challengeToken: string }
      const owner = vector('did')
      const sent: Request[] = []
      const fetch = tell(async (url, init) => {
        sent.push(new Request(url, init))
        return Response.json(value(url.endsWith('/contact-request') ? 'contact-opened' : 'contact-delivered'))
      })
      // example: sdk-contact
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', fetch })
      const draft = { name: 'Ada', email: 'ada@example.org', subject: 'Your picture', message: 'May I print it?' }
      let outcome = ''
      try {
        const contact = await client.contact.request({ assetId, fromEmail: draft.email, challengeToken, owner })
        const sealed = await client.contact.seal(contact, draft)
        const { deliveredAt } = await client.contact.verify(contact, '042917', sealed)
        outcome = `delivered at ${deliveredAt}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = `does not verify: ${error.reason}`
      }
      // end
      const last =
        (await sent.findLast(({ method }) => method === 'POST')?.json<{ envelope?: { ciphertextB64u: string } }>()) ??
        {}
      return { outcome, sent: sent.length, bytes: bytesOf(last.envelope?.ciphertextB64u ?? '').length }
    },
    honest: (found) => expect(found).toEqual({ outcome: `delivered at ${T + 60_000}`, sent: 2, bytes: 1040 }),
    lied: (found) => expect(found).toEqual({ outcome: 'does not verify: wrong_key', sent: 1, bytes: 0 }),
    claims: ['deliveredAt'],
  }),
  'sdk-inbox': example({
    lie: ({ data }) => {
      for (const { envelope } of members(data)['messages'] as { envelope: object }[])
        Object.assign(envelope, { ciphertextB64u: 'A'.repeat(1387) })
    },
    run: async (tell) => {
      const seeds = { signing: fromHex(vector('signingSeedHex')), kem: fromHex(vector('kemSeedHex')) }
      const fetch = tell(async () => Response.json(value('inbox-page')))
      // example: sdk-inbox
      const identity = await Identity.fromSeeds(seeds)
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      const page = await client.inbox.safeList({ limit: 20 })
      const messages = page.ok ? page.value.messages : []
      const read = await Promise.all(messages.map((message) => client.inbox.safeOpen(message)))
      const texts = read.map((one) => (one.ok ? one.value.message : `unreadable: ${one.error.reason}`))
      const problem = page.ok ? null : page.error.reason
      // end
      return { read, texts, problem }
    },
    honest: ({ read }) => expect(read).toEqual([{ ok: true, value: value('contact-message') }]),
    lied: ({ texts }) => expect(texts).toEqual(['unreadable: modified']),
  }),
  'sdk-refusal': example({
    lie: ({ path, replace }) => {
      const head = { index: '7', hash: 'a7'.repeat(48), did: vector('did') }
      const data = path.endsWith('/head') ? head : { blocks: [], next: null, head }
      replace({ success: true, data, timestamp: T })
    },
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-refusal
      const identity = await Identity.create()
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity, fetch })
      const name = await client.chain.head().then(
        () => 'found',
        (error: unknown) => {
          if (error instanceof ServiceError) return error.error
          return error instanceof VerificationError ? error.reason : 'no answer'
        },
      )
      // end
      return name
    },
    honest: (name) => expect(name).toBe('unauthorized'),
    lied: (name) => expect(name).toBe('unproved'),
    claims: ['error'],
  }),
}
