/**
 * The TypeScript examples of a chain, word for word: what stands between the marks is compared with the page. Each is run twice:
 * with the answers of an honest service, and with those of one that lies. What it then says is up to the example: it must
 * never take a lie for an answer.
 *
 * @module
 */
import { Client, Identity, VerificationError } from '@svc/client'
import { safeVerifyChain } from '@svc/client/verify'
import type { SignedBlock } from '@svc/protocol/chain/chain'
import { expect } from 'vitest'
import { type Answer, members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore, started } from './small-core.fixture.ts'

/** The timestamp of the newest block is another one. */
const alteredBlock = ({ path, data }: Pick<Answer, 'path' | 'data'>) => {
  if (path.endsWith('/blocks')) Object.assign((members(data)['blocks'] as object[]).at(-1) ?? {}, { timestamp: '1' })
}

export const CHAIN_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-chain': example({
    lie: alteredBlock,
    run: async (tell) => {
      const fetch = tell(smallCore())
      // example: sdk-chain
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
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
        kem: new Uint8Array(32).fill(2),
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
        kem: new Uint8Array(32).fill(2),
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
}
