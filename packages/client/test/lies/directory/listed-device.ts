import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage } from '@svc/protocol/keys/directory'
import { prekeyTree } from '@svc/protocol/keys/packages'
import { keysOf as listKeysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import type { Discovery } from '../../../src/discovery/discover.ts'
import { makePrekeys, SUITE } from '../../../src/keys/key-material.ts'
import { REALM } from '../../realm.ts'
import { alice, heirOfAlice, mallory } from '../../sides.ts'
import { accountProofs, mappedLog } from '../mapped-log.ts'
import { deviceOf, LABEL, published } from '../published.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy } from '../situation.ts'

export const signing = { realm: REALM, now: NOW }
export const updateOf = (found: DevicePackage): AccountUpdate => {
  const { seq, leafId } = found
  return { seq, leafId, package: found, revocation: null, statement: null }
}
export const hashOf = (found: DevicePackage) => statementHash(found.credential.statement)

const receiptKey = {
  service: 'keys',
  use: 'reservation',
  publicKeyB64u: alice.publicKeyB64u,
  validFrom: 0,
  validUntil: null,
} as const

/** A package of a device, and a prekey that Mallory reserves. The client has pinned the key of the receipts. */
export async function directory(by = alice, keys: readonly object[] = keysOf(alice).keys) {
  const device = await deviceOf(3)
  const { deviceId } = device
  const found = await published(device, { by })
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
      discovery: { pin: { list: { statement: { services: [receiptKey] } } } } as unknown as Discovery,
    },
    args: (): unknown[] => [alice.did],
    answers: () => ({
      ...keyAnswers(mallory),
      [`/api/chain/root/${alice.did}/history`]: (query: URLSearchParams) =>
        data({ ...keysOf(alice), keys: keys.slice(Number(query.get('from'))) }),
      '/api/transparency/logs': data({ list: situation.list, earlier: [] }),
      ...accountProofs('/api/transparency/proof/', situation.account),
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
export type Directory = Awaited<ReturnType<typeof directory>>
/** The same after a rotation: the new root key vouches for the package. */
export const rotated = async () => {
  const { heir, keys } = await heirOfAlice()
  return directory(heir, keys)
}
export const ofDevice = async () => {
  const situation = await directory()
  return Object.assign(situation, { args: () => [alice.did, situation.device.deviceId] })
}
const lieOf =
  (subject: Lie['subject']) =>
  (lie: string, reason: Lie['reason'], tell: Lie<Directory>['tell']): Lie<Directory> => ({ lie, reason, tell, subject })
export const ofPackage = lieOf('package')
export const ofAccount = lieOf('account')

/** The directory shows these updates, and a head that fits them. */
export const show = (s: Directory, ...found: readonly DevicePackage[]) => {
  s.shown = found.at(-1)!
  Object.assign(s.page, { updates: found.map(updateOf), ...foldHead(EMPTY_HEAD, found.map(hashOf)) })
}

export const falsePackages = [
  ofPackage('shows a package that another key vouches for', 'invalid_signature', async (s) => {
    show(s, await published(s.device, { by: mallory }))
  }),
  ofPackage('shows a package for another deployment', 'invalid_signature', async (s) => {
    show(s, await published(s.device, { realm: OTHER_REALM }))
  }),
  ofPackage('shows a package whose credential names an older event than the package', 'older_head', async (s) => {
    show(s, await published(s.device, { inception: null }))
  }),
  ofPackage('changes the keys in the package', 'mismatch', async (s) => {
    const { keyPackage } = await published(await deviceOf(4))
    show(s, { ...s.shown, keyPackage })
  }),
]
