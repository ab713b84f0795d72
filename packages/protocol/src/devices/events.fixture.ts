/** One event of each kind, with placeholder signatures, which are checked separately. */
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { statementHash } from '../base/statement.ts'
import type { AttestDevice, ChangeDevice, InceptOrg, RotateOfficers } from './inception.ts'

export const DID = `did:svc:${'PDw8'.repeat(8)}`
export const OTHER_DID = `did:svc:${'PDw9'.repeat(8)}`
export const SCOPE = '3c'.repeat(48)
const SIGNATURE = 'A'.repeat(4412)
export const OTHER_SIGNATURE = `B${'A'.repeat(4411)}`
export const KEY = encodeBase64url(new Uint8Array(1952).fill(1))
export const DEVICE_ID = '1Bib6c4794k3VvpqA65O1-XGDE-1oC8c'
export const OTHER_KEY = encodeBase64url(new Uint8Array(1952).fill(2))
export const OTHER_DEVICE_ID = 'UFRI7SyXcrdB5IXhKj91sXdL1n9qnjTe'
export const OFFICER = `did:svc:${'A'.repeat(32)}`
export const HEAD = { sequence: 4, hash: 'a7'.repeat(48) }
const issuedAt = 1_790_000_000_000

const link = { did: DID, scope: SCOPE, sequence: 5, previousHash: HEAD.hash, rootEpoch: 1 }
export const attestation: AttestDevice = {
  statement: {
    type: 'svc/device-attestation/v1',
    realm: REALM,
    ...link,
    deviceId: DEVICE_ID,
    devicePublicKeyB64u: KEY,
    origin: 'app:phone',
    capabilities: ['chain:read'],
    expiresAt: 1_790_000_060_000,
    issuedAt,
  },
  signatureB64u: SIGNATURE,
  acceptance: {
    statement: {
      type: 'svc/device-acceptance/v1',
      realm: REALM,
      did: DID,
      deviceId: DEVICE_ID,
      devicePublicKeyB64u: KEY,
      kemPublicKeyB64u: encodeBase64url(Uint8Array.from({ length: 1184 }, (_, i) => (i * 5) & 7)),
      x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
      origin: 'app:phone',
      capabilities: ['chain:read', 'chain:append'],
      inception: null,
      issuedAt,
    },
    signatureB64u: SIGNATURE,
  },
}
export const suspension: ChangeDevice = {
  statement: { type: 'svc/device-event/v1', realm: REALM, ...link, deviceId: DEVICE_ID, event: 'suspend', issuedAt },
  signatureB64u: SIGNATURE,
}
const rosterStatement = { ...link, officers: [OFFICER], quorum: 1, issuedAt }
export const inception: InceptOrg = {
  statement: { type: 'svc/org-inception/v1', realm: REALM, ...rosterStatement },
  signatureB64u: SIGNATURE,
  acceptances: [
    {
      statement: {
        type: 'svc/officer-acceptance/v1',
        realm: REALM,
        orgDid: DID,
        orgScope: SCOPE,
        officerDid: OFFICER,
        rosterHash: statementHash({ type: 'svc/org-inception/v1', realm: REALM, ...rosterStatement }),
        inception: null,
        issuedAt,
      },
      signatureB64u: SIGNATURE,
      publicKeyB64u: KEY,
    },
  ],
}
export const rotation: RotateOfficers = {
  statement: { type: 'svc/org-officers/v1', realm: REALM, ...rosterStatement, rosterVersion: 2 },
  signatureB64u: SIGNATURE,
  approvals: [{ officerDid: OFFICER, publicKeyB64u: KEY, signatureB64u: SIGNATURE }],
  acceptances: [],
}
