/**
 * The TypeScript examples of messages, word for word: what stands between the marks is compared with the page. Each is run twice:
 * with the answers of an honest service, and with those of one that lies. What it then says is up to the example: it must
 * never take a lie for an answer.
 *
 * @module
 */
import { Client, Identity, VerificationError } from '@svc/client'
import { bytesOf } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { expect } from 'vitest'
import { value, vector } from '../examples.ts'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'

const T = 1_790_000_000_000

export const MESSAGE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
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
    honest: ({ read }) =>
      expect(read).toEqual([{ ok: true, value: { ...(value('contact-message') as object), sealedWith: 'x-wing' } }]),
    lied: ({ texts }) => expect(texts).toEqual(['unreadable: modified']),
  }),
}
