/**
 * The TypeScript examples of identities: their recovery, resolution, rotation and devices, word for word: what stands between the marks is compared with the page. Each is run twice:
 * with the answers of an honest service, and with those of one that lies. What it then says is up to the example: it must
 * never take a lie for an answer.
 *
 * @module
 */
import { Client, Device, Identity, VerificationError } from '@svc/client'
import { rotationIdOf } from '@svc/client/functions'
import { expect } from 'vitest'
import { value } from '../examples.ts'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'
import { smallCore, started } from './small-core.fixture.ts'

export const IDENTITY_EXAMPLES: Readonly<Record<string, SdkExample>> = {
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
        kem: new Uint8Array(32).fill(2),
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
        kem: new Uint8Array(32).fill(2),
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
      // end
      return { device, acceptance }
    },
    honest: ({ device, acceptance }) => {
      expect(acceptance.statement.deviceId).toBe(device.deviceId)
    },
  }),
}
