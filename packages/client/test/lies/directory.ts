import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, foldHead, leafIdOf } from '@svc/protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage } from '@svc/protocol/keys/directory'
import { guardianRequestId } from '@svc/protocol/keys/guardians'
import { prekeyTree } from '@svc/protocol/keys/packages'
import { keysOf as listKeysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import type { Discovery } from '../../src/discovery/discover.ts'
import { makePrekeys, SUITE } from '../../src/keys/key-material.ts'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { cosigned, mappedLog } from './mapped-log.ts'
import { deviceOf, LABEL, published } from './published.ts'
import { data, keyAnswers, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const signing = { realm: REALM, now: NOW }
const updateOf = (found: DevicePackage): AccountUpdate => {
  const { seq, leafId } = found
  return { seq, leafId, package: found, revocation: null, statement: null }
}
const hashOf = (found: DevicePackage) => statementHash(found.credential.statement)

const receiptKey = {
  service: 'keys',
  use: 'reservation',
  publicKeyB64u: alice.publicKeyB64u,
  validFrom: 0,
  validUntil: null,
} as const

/** A package of a device, and a prekey that Mallory reserves. The client has pinned the key of the receipts. */
async function directory() {
  const device = await deviceOf(3)
  const { deviceId } = device
  const found = await published(device)
  const { list, account } = await mappedLog([hashOf(found)])
  const { upload } = await makePrekeys(device, signing, { count: 2 })
  const [publicKeyB64u = ''] = upload.publicKeysB64u
  const { proofs } = prekeyTree(upload.publicKeysB64u)
  const prekey = { prekeyId: kemKeyId(publicKeyB64u), publicKeyB64u, index: 0, proof: proofs[0]!, batch: upload.batch }
  const receipt = {
    type: 'svc/prekey-reservation/v1',
    realm: REALM,
    directory: 'https://keys.test',
    reservationId: 'A'.repeat(32),
    accountDid: alice.did,
    deviceId,
    requesterDid: mallory.did,
    profile: 'bound-v4',
    suiteId: SUITE,
    kind: 'one-time',
    prekeyId: prekey.prekeyId,
    leafId: found.leafId,
    expiresAt: NOW + 60_000,
    issuedAt: NOW,
  }
  const page = {
    accountDid: alice.did,
    label: LABEL,
    ...foldHead(EMPTY_HEAD, [hashOf(found)]),
    updates: [updateOf(found)],
    cursor: null,
  }
  const situation = {
    device,
    account,
    list,
    cosignatures: [] as object[],
    shown: found,
    page,
    reserved: {
      prekey,
      usedFallback: false,
      receipt: { ...(await signedBy(alice, receipt)), publicKeyB64u: alice.publicKeyB64u },
    },
    options: {
      identity: mallory,
      mapPatience: { attempts: 2, pauseMs: 1 },
      logListKeys: listKeysOf(listSigners),
      discovery: { pin: { keys: [receiptKey] } } as Discovery,
    },
    args: (): unknown[] => [alice.did],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      '/api/transparency/logs': data({ list: situation.list, earlier: [] }),
      [`/api/transparency/proof/${alice.did}`]: data(situation.account),
      '/api/transparency/checkpoint': data({
        checkpoint: situation.account.checkpoint,
        cosignatures: situation.cosignatures,
      }),
      [`/api/key-directory/${alice.did}/devices`]: data(situation.page),
      [`/api/key-directory/${alice.did}/devices/${deviceId}`]: data(situation.shown),
      [`/api/key-directory/${alice.did}/devices/${deviceId}/prekeys/reserve`]: data(situation.reserved),
    }),
  }
  return situation
}
type Directory = Awaited<ReturnType<typeof directory>>
const ofDevice = async () => {
  const situation = await directory()
  return Object.assign(situation, { args: () => [alice.did, situation.device.deviceId] })
}
const lieOf =
  (subject: Lie['subject']) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Directory>['tell']): Lie<Directory> => ({ lie, reason, tell, subject })
const ofPackage = lieOf('package')
const ofAccount = lieOf('account')

/** The directory shows these updates, and a head that fits them. */
const show = (s: Directory, ...found: readonly DevicePackage[]) => {
  s.shown = found.at(-1)!
  Object.assign(s.page, { updates: found.map(updateOf), ...foldHead(EMPTY_HEAD, found.map(hashOf)) })
}
const firstOf = (s: Directory) => s.page.updates[0]!.package!
const revocationHash = ({ device: { deviceId } }: Directory) =>
  statementHash({
    type: 'svc/package-revocation/v1',
    realm: REALM,
    did: alice.did,
    deviceId,
    version: 1,
    issuedAt: NOW,
  })
const falsePackages = [
  ofPackage('shows a package that another key vouches for', 'invalid_signature', async (s) => {
    show(s, await published(s.device, { by: mallory }))
  }),
  ofPackage('shows a package for another deployment', 'invalid_signature', async (s) => {
    show(s, await published(s.device, { realm: OTHER_REALM }))
  }),
  ofPackage('changes the keys in the package', 'mismatch', async (s) => {
    const { keyPackage } = await published(await deviceOf(4))
    show(s, { ...s.shown, keyPackage })
  }),
]
const falseReceipt = (lie: string, changes: object, by = alice): Lie<Directory> => ({
  lie,
  tell: async ({ reserved }) => {
    const signed = await signedBy(by, reserved.receipt.statement, changes)
    reserved.receipt = { ...signed, publicKeyB64u: by.publicKeyB64u }
  },
  subject: 'receipt',
  reason: 'invalid_signature',
})

/** A request to a guardian, who attested it. */
async function guardians() {
  const request = await signedBy(alice, {
    type: 'svc/guardian-request/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    subjectHash: 'a7'.repeat(48),
    guardians: [mallory.did],
    threshold: 1,
    expiresAt: NOW + 60_000,
    nonce: 'n_000000000000-1n_0000',
    issuedAt: NOW,
  })
  const requestId = guardianRequestId(request.statement)
  const about = { realm: REALM, requestId, did: alice.did, subjectHash: request.statement.subjectHash }
  const statement = { type: 'svc/guardian-attestation/v1', ...about, guardianDid: mallory.did, issuedAt: NOW }
  const attested = async (changes: object, by = mallory) => ({
    attestation: await signedBy(by, statement, changes),
    publicKeyB64u: mallory.publicKeyB64u,
    attestedAt: NOW,
  })
  const status = {
    requestId,
    state: 'met',
    threshold: 1,
    attested: 1,
    request,
    attestations: [await attested({})],
  }
  return {
    status,
    attested,
    options: { identity: alice },
    args: () => [requestId],
    answers: () => ({ ...keyAnswers(alice, mallory), [`/api/guardian/status/${requestId}`]: data(status) }),
  }
}
type Guarded = Awaited<ReturnType<typeof guardians>>
const ofGuardians = (lie: string, reason: Lie['reason'], tell: Lie<Guarded>['tell']): Lie<Guarded> => ({
  lie,
  reason,
  tell,
  subject: 'guardians',
})
const unattested = (lie: string, changes: object, by = mallory): Lie<Guarded> => ({
  ...ofGuardians(lie, 'invalid_signature', async ({ status, attested }) => {
    status.attestations = [await attested(changes, by)]
  }),
  where: { member: 'attestations' },
})

export const DIRECTORY = [
  verifying({
    name: 'client.keyDirectory.list',
    honest: directory,
    lies: [
      ...falsePackages,
      ofAccount('answers for another account', 'different_answer', ({ page }) => {
        page.accountDid = mallory.did
      }),
      ofAccount('leaves out an update', 'left_out', ({ page }) => void page.updates.pop()),
      ofAccount('numbers the updates otherwise', 'left_out', ({ page }) => {
        page.updates[0]!.seq = 2
      }),
      ofPackage('shows a package that was replaced', 'replaced', async (s) => {
        const newer = await published(s.device, { version: 2, seq: 2 })
        const [older] = [s.shown]
        Object.assign(s.page, {
          updates: [updateOf(older), { ...updateOf(newer), package: null, statement: newer.credential.statement }],
          ...foldHead(EMPTY_HEAD, [hashOf(older), hashOf(newer)]),
        })
      }),
      ofPackage('shows a package that was revoked', 'revoked', async (s) => {
        const { deviceId } = s.device
        const statement = {
          type: 'svc/package-revocation/v1',
          realm: REALM,
          did: alice.did,
          scope: alice.scope,
          rootEpoch: 0,
          deviceId,
          version: 1,
          issuedAt: NOW,
        } as const
        const hash = statementHash(statement)
        Object.assign(s.page, {
          updates: [
            ...s.page.updates,
            { seq: 2, leafId: leafIdOf(LABEL, hash), package: null, revocation: null, statement },
          ],
          ...foldHead(EMPTY_HEAD, [hashOf(s.shown), hash]),
        })
      }),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.resolve',
    honest: ofDevice,
    lies: [
      ...falsePackages,
      ofPackage('answers with another device', 'mismatch', async (s) => {
        s.shown = await published(await deviceOf(4))
      }),
      ofPackage('answers for another profile', 'different_answer', (s) => {
        s.shown = { ...s.shown, profile: 'open-v4' }
      }),
    ],
  }),
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
      falseReceipt('signs the receipt with another key', {}, mallory),
      falseReceipt('signs a receipt for another deployment', { realm: OTHER_REALM }),
      falseReceipt('signs a receipt for somebody else', { requesterDid: alice.did }),
    ],
  }),
  verifying({
    name: 'client.keyDirectory.reserve',
    given: 'with witnesses',
    honest: async () => {
      const situation = await ofDevice()
      const cosignatures = [await cosigned(situation.account.checkpoint, REALM, { verifies: 'log+map' })]
      Object.assign(situation.options, { witnesses: [mallory.publicKeyB64u] })
      return Object.assign(situation, { cosignatures })
    },
    lies: [
      ofAccount('has a map that no witness has verified', 'not_cosigned', async (s) => {
        s.cosignatures = [await cosigned(s.account.checkpoint)]
      }),
      ofAccount('has a map that only an unknown witness has verified', 'not_cosigned', async (s) => {
        s.cosignatures = [await cosigned(s.account.checkpoint, REALM, { verifies: 'log+map' }, alice)]
      }),
    ],
  }),
  verifying({
    name: 'client.guardians.status',
    honest: guardians,
    lies: [
      ofGuardians('answers with another request', 'different_answer', async ({ status }) => {
        status.request = await signedBy(alice, status.request.statement, { threshold: 2 })
      }),
      {
        ...ofGuardians('shows a request that the owner did not sign', 'invalid_signature', async ({ status }) => {
          status.request = await signedBy(mallory, status.request.statement)
        }),
        where: { member: 'request' },
      },
      unattested('shows an attestation signed by another key', {}, alice),
      unattested('shows an attestation for another deployment', { realm: OTHER_REALM }),
      unattested('shows an attestation of another subject', { subjectHash: 'b7'.repeat(48) }),
      unattested('shows an attestation of somebody who is not a guardian', { guardianDid: alice.did }, alice),
      ofGuardians('counts more attestations than there are', 'mismatch', ({ status }) => {
        status.attested = 2
      }),
      ofGuardians('names another threshold', 'mismatch', ({ status }) => {
        status.threshold = 2
      }),
      ofGuardians('says that too few attested', 'mismatch', ({ status }) => {
        status.state = 'pending'
      }),
    ],
  }),
]
