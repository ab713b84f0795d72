/**
 * The examples of the pages on signers and backups, and of creating an identity, word for word.
 *
 * @module
 */
import { Client, type CreatedKeys, Device, type Fetch, Identity, VerificationError } from '@svc/client'
import { exportKeys, importKeys, KeyExportError } from '@svc/client/backup'
import { identityOfCode, identityOfWords, printedKey, RecoveryWordsError } from '@svc/client/recovery-words'
import { memorySigner, type Signer, SignerError } from '@svc/client/signers'
import { eventHash } from '@svc/protocol/devices/inception'
import { expect } from 'vitest'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore } from './small-core.fixture.ts'

/** The minimal core, with devices. */
function coreWithDevices(): Fetch {
  const core = smallCore()
  let genesis: Record<string, unknown> = {}
  const answer = (data: object) => Response.json({ success: true, data, timestamp: T })
  return async (url, init) => {
    const { pathname } = new URL(url)
    if (pathname === '/api/inception/head') {
      const { did, scope, hash } = genesis
      return answer({ did, scope, sequence: 0, hash, rootEpoch: 0 })
    }
    if (pathname === '/api/inception/device')
      return answer({ sequence: 1, hash: eventHash(await new Request(url, init).json()), acceptedAt: T })
    if (pathname === '/api/chain/watch') {
      const { tokenHash } = members(await new Request(url, init).json())
      return answer({ tokenHash, madeBy: 'root', epoch: 0, madeAt: T, worksUntil: null })
    }
    if (pathname.startsWith('/api/genesis/did:')) return answer(genesis)
    const response = await core(url, init)
    if (pathname === '/api/genesis/init') genesis = members(members(await response.clone().json())['data'])
    return response
  }
}

const T = 1_790_000_000_000

export const KEY_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-signer': example({
    // Nobody is asked.
    run: async () => {
      // example: sdk-signer
      const key = await memorySigner(new Uint8Array(32).fill(1))
      const careful: Signer = {
        publicKey: key.publicKey,
        sign(bytes, purpose) {
          if (purpose === 'svc/did-deactivate/v1') throw new SignerError('refused', purpose, 'The owner said no')
          return key.sign(bytes, purpose)
        },
      }
      const identity = await Identity.fromSigner(careful)
      const about = { realm: 'https://core.example', audience: 'login.example.com', content: 'Sign in: 4f1c9a' }
      const outcome = await identity.signMessage(about).then(
        ({ statement }) => statement.text,
        (error: unknown) => (error instanceof SignerError ? error.reason : 'another error'),
      )
      // end
      return outcome
    },
    honest: (outcome) => expect(outcome).toBe('Sign in: 4f1c9a'),
  }),
  'sdk-backup': example({
    // Nobody is asked.
    run: async () => {
      // example: sdk-backup
      const identity = await Identity.create()
      const exported = await exportKeys({ identity }, 'correct horse battery staple')
      const file = JSON.stringify(exported)
      let outcome = ''
      try {
        const keys = await importKeys(JSON.parse(file), 'correct horse battery staple')
        outcome = keys.identity?.did === identity.did ? 'the same identity' : 'another identity'
      } catch (error) {
        if (!(error instanceof KeyExportError)) throw error
        outcome = error.reason
      }
      // end
      return { outcome, exported }
    },
    honest: async ({ outcome, exported }) => {
      expect(outcome).toBe('the same identity')
      const wrong = importKeys({ ...exported, did: null }, 'correct horse battery staple')
      await expect(wrong).rejects.toMatchObject({ reason: 'not_opened' })
    },
  }),
  'sdk-recovery-words': example({
    // Nobody is asked.
    run: async () => {
      // example: sdk-recovery-words
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const printed = printedKey(identity)
      const page = `<p>${printed.words.signing}</p>${printed.svg}`
      const scanned = await identityOfCode(printed.code)
      const typed = await identityOfWords(printed.words).catch((error: unknown) => {
        if (!(error instanceof RecoveryWordsError)) throw error
        return `Word ${error.position}: ${error.reason}`
      })
      // end
      return { identity, page, scanned, typed }
    },
    honest: ({ identity, page, scanned, typed }) => {
      expect(page).toContain('<svg ')
      expect([scanned.did, typeof typed === 'string' ? typed : typed.did]).toEqual([identity.did, identity.did])
    },
  }),
  'sdk-create-identity': example({
    lie: ({ path, data }) => {
      if (path === '/api/inception/device') members(data)['hash'] = '0'.repeat(96)
    },
    run: async (tell) => {
      const fetch = tell(coreWithDevices())
      // example: sdk-create-identity
      const client = new Client({ core: 'https://core.example', did: 'https://did.example', fetch })
      const places = new Map<string, string>()
      const keep = ({ kept, successor }: CreatedKeys) => {
        places.set('mailbox', JSON.stringify(kept))
        places.set('paper', printedKey(successor).code)
      }
      const phone = await Device.create({ origin: 'app:phone', capabilities: ['rotation:cosign'] })
      let outcome = ''
      try {
        const { identity, device } = await client.createIdentity({ device: phone, keep })
        outcome = device.did === identity.did ? 'created' : 'not joined'
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = error.reason
      }
      // end
      return { outcome, places: [...places.keys()] }
    },
    honest: (found) => expect(found).toEqual({ outcome: 'created', places: ['mailbox', 'paper'] }),
    lied: ({ outcome }) => expect(outcome).toBe('different_answer'),
  }),
}
