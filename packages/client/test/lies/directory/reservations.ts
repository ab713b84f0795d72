import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import { makePrekeys } from '../../../src/keys/key-material.ts'
import { REALM } from '../../realm.ts'
import { alice, mallory } from '../../sides.ts'
import { LOGS } from '../checkpoints.ts'
import { cosigned, mappedLog } from '../mapped-log.ts'
import { deviceOf, published } from '../published.ts'
import { type Lie, NOW, OTHER_REALM, signedBy, verifying } from '../situation.ts'
import {
  type Directory,
  falsePackages,
  hashOf,
  ofAccount,
  ofDevice,
  ofPackage,
  show,
  signing,
} from './listed-device.ts'

const firstOf = (s: Directory) => s.page.updates[0]!.package!
const revocationHash = ({ device: { deviceId } }: Directory) =>
  statementHash({
    type: 'svc/package-revocation/v1',
    realm: REALM,
    did: alice.did,
    deviceId,
    version: 1,
    inception: null,
    issuedAt: NOW,
  })

const falseReceipt = (lie: string, reason: Lie['reason'], changes: object, by = alice): Lie<Directory> => ({
  lie,
  tell: async ({ reserved }) => {
    const signed = await signedBy(by, reserved.receipt.statement, changes)
    reserved.receipt = { ...signed, publicKeyB64u: by.publicKeyB64u }
  },
  subject: 'receipt',
  reason,
})

/** Prekeys that a directory hands out, which the log proves. */
export const RESERVATIONS = [
  verifying({
    name: 'client.keyDirectory.reserve',
    honest: ofDevice,
    lies: [
      ...falsePackages,
      ofAccount('hides a revocation that the log has', 'left_out', async (s) => {
        Object.assign(s, await mappedLog([hashOf(s.shown), revocationHash(s)]))
      }),
      ofAccount('shows a package that the log does not have', 'inconsistent', async (s) => {
        Object.assign(s, await mappedLog([hashOf(await published(await deviceOf(4)))]))
      }),
      ofAccount('shows a second package, which no map has', 'left_out', async (s) => {
        show(s, s.shown, await published(s.device, { version: 2, seq: 2 }))
        s.page.updates[0] = { ...s.page.updates[0]!, package: null, statement: firstOf(s).credential.statement }
      }),
      ofPackage('shows a package that its list does not have', 'left_out', async (s) => {
        s.shown = await published(s.device, { version: 2, seq: 2 })
      }),
      ofAccount('shows an old map', 'expired', async (s) => {
        Object.assign(s, await mappedLog([hashOf(s.shown)], { at: NOW - 60_001, after: ['{"kind":"later"}'] }))
      }),
      {
        lie: 'hands out a prekey of another device',
        tell: async ({ reserved }) => {
          const { upload } = await makePrekeys(await deviceOf(4), signing, { count: 2 })
          reserved.prekey = { ...reserved.prekey, batch: upload.batch }
        },
        subject: 'prekey',
        reason: 'invalid_signature',
      },
      {
        lie: 'hands out a key that the device did not sign',
        tell: ({ reserved }) => {
          const publicKeyB64u = mallory.kemPublicKeyB64u
          reserved.prekey = { ...reserved.prekey, publicKeyB64u, prekeyId: kemKeyId(publicKeyB64u) }
        },
        subject: 'prekey',
        reason: 'invalid_signature',
      },
      {
        lie: 'says that a one-time prekey is the last resort',
        tell: ({ reserved }) => {
          reserved.usedFallback = true
        },
        subject: 'prekey',
        reason: 'mismatch',
      },
      {
        lie: 'hands out the last resort, which was not allowed',
        tell: async ({ device, reserved }) => {
          const { upload } = await makePrekeys(device, signing, { kind: 'last-resort' })
          const [publicKeyB64u = ''] = upload.publicKeysB64u
          const prekey = { prekeyId: kemKeyId(publicKeyB64u), publicKeyB64u, index: 0, proof: [], batch: upload.batch }
          Object.assign(reserved, { prekey, usedFallback: true })
        },
        subject: 'prekey',
        reason: 'different_answer',
      },
      falseReceipt('signs the receipt with another key', 'wrong_key', {}, mallory),
      falseReceipt('signs a receipt for another deployment', 'invalid_signature', { realm: OTHER_REALM }),
      falseReceipt('signs a receipt for somebody else', 'different_answer', { requesterDid: alice.did }),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.reserve',
    given: 'with witnesses',
    honest: async () => {
      const situation = await ofDevice()
      const cosignatures = [await cosigned(situation.account.checkpoint, REALM, { verifies: 'log+map' })]
      Object.assign(situation.options, { witnesses: { threshold: 1, publicKeysB64u: [mallory.publicKeyB64u] } })
      return Object.assign(situation, { cosignatures })
    },
    lies: [
      ofAccount('has a map that no witness has verified', 'not_cosigned', async (s) => {
        s.cosignatures = [await cosigned(s.account.checkpoint)]
      }),
      ofAccount('has a map that only an unknown witness has verified', 'not_cosigned', async (s) => {
        const byAlice = await cosigned(s.account.checkpoint, REALM, { verifies: 'log+map' }, alice)
        s.cosignatures = [await cosigned(s.account.checkpoint), byAlice]
      }),
      {
        lie: 'shows a log that no witness has cosigned',
        tell: (s) => {
          s.cosignatures = []
        },
        subject: 'transparency',
        reason: 'not_cosigned',
        where: { log: LOGS.transparency },
      },
    ],
  }),
  verifying({
    name: 'client.keyDirectory.reserve',
    given: 'with two of three witnesses',
    honest: async () => {
      const situation = await ofDevice()
      const { checkpoint } = situation.account
      const cosignatures = [
        await cosigned(checkpoint, REALM, { verifies: 'log+map' }),
        await cosigned(checkpoint, REALM, { verifies: 'log+map' }, alice),
      ]
      const publicKeysB64u = [mallory, alice, await alice.successor()].map((witness) => witness.publicKeyB64u)
      Object.assign(situation.options, { witnesses: { threshold: 2, publicKeysB64u } })
      return Object.assign(situation, { cosignatures })
    },
    lies: [
      ofAccount('has a map that one of them has verified', 'not_cosigned', async (s) => {
        s.cosignatures = [...s.cosignatures.slice(0, 1), await cosigned(s.account.checkpoint, REALM, {}, alice)]
      }),
      ofAccount('shows the cosignature of one of them twice', 'not_cosigned', async (s) => {
        const again = await cosigned(s.account.checkpoint, REALM, { verifies: 'log+map', issuedAt: NOW - 1 })
        s.cosignatures = [...s.cosignatures.slice(0, 1), again, await cosigned(s.account.checkpoint, REALM, {}, alice)]
      }),
    ],
  }),
]
