/**
 * The TypeScript examples of a service: its discovery, and what it refuses, word for word: what stands between the marks is compared with the page. Each is run twice:
 * with the answers of an honest service, and with those of one that lies. What it then says is up to the example: it must
 * never take a lie for an answer.
 *
 * @module
 */
import { Client, Identity, ServiceError, VerificationError } from '@svc/client'
import { expect } from 'vitest'
import { value, vector } from '../examples.ts'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore } from './small-core.fixture.ts'

const T = 1_790_000_000_000

export const SERVICE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-discovery': example({
    lie: ({ count, body }) => {
      if (count === 3)
        Object.assign(members(body), { realm: 'https://other.example', realms: ['https://other.example'] })
    },
    run: async (tell) => {
      const fetch = tell(async (url) =>
        url.endsWith('/logs')
          ? Response.json({ success: false, error: 'log_list_unavailable' }, { status: 503 })
          : Response.json(value('discovery-document')),
      )
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
      expect(members(JSON.parse(stored ?? ''))).toMatchObject({ realm: 'https://core.example', list: null })
    },
    lied: ({ outcome }) => expect(outcome).toBe('does not verify: foreign_realm'),
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
