/** Inception events for tests, signed by keys from fixed seeds. */
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { deviceIdOf, type SignedDeviceAcceptance } from '../base/device.ts'
import type { InceptionHead } from '../base/inception-head.ts'
import { signStatement, statementHash } from '../base/statement.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import {
  type AttestDevice,
  type ChangeDevice,
  eventHash,
  type InceptionEvent,
  type InceptOrg,
  type RotateOfficers,
} from './inception.ts'
import type { SignedOfficerAcceptance } from './officers.ts'

export const NOW = 1_790_000_000_000
/** Passes the FIPS 203 checks of an encapsulation key. */
const KEM_KEY = encodeBase64url(Uint8Array.from({ length: 1184 }, (_, i) => (i * 5) & 7))

/** A root key and its epoch, signing for the identity of `genesis`. */
export interface Root {
  readonly genesis: Signer
  readonly epoch: number
  readonly signer: Signer
}

export const headAfter = (event: InceptionEvent): InceptionHead => ({
  sequence: event.statement.sequence,
  hash: eventHash(event),
})

const link = ({ genesis, epoch }: Root, { sequence, hash }: InceptionHead) => ({
  did: genesis.did,
  scope: genesis.scope,
  sequence: sequence + 1,
  previousHash: hash,
  rootEpoch: epoch,
})

export function acceptanceOf(device: Signer, did: string, changes: object = {}): Promise<SignedDeviceAcceptance> {
  const statement = {
    type: 'svc/device-acceptance/v1' as const,
    realm: REALM,
    did,
    deviceId: deviceIdOf(device.ownerPublicKey),
    devicePublicKeyB64u: device.ownerPublicKey,
    kemPublicKeyB64u: KEM_KEY,
    x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
    origin: 'app:test',
    capabilities: ['chain:read' as const],
    inception: null,
    issuedAt: NOW,
    ...changes,
  }
  return signStatement(statement, device.sign)
}

/** Without `acceptance`, the device signs one that names `head`. */
export async function attestationOf(
  root: Root,
  head: InceptionHead,
  device: Signer,
  terms: { readonly acceptance?: SignedDeviceAcceptance; readonly expiresAt?: number } = {},
): Promise<AttestDevice> {
  const statement: AttestDevice['statement'] = {
    type: 'svc/device-attestation/v1',
    realm: REALM,
    ...link(root, head),
    deviceId: deviceIdOf(device.ownerPublicKey),
    devicePublicKeyB64u: device.ownerPublicKey,
    origin: 'app:test',
    capabilities: ['chain:read'],
    expiresAt: terms.expiresAt ?? null,
    issuedAt: NOW,
  }
  const acceptance = terms.acceptance ?? (await acceptanceOf(device, root.genesis.did, { inception: head }))
  return { ...(await signStatement(statement, root.signer.sign)), acceptance }
}

export function changeOf(
  root: Root,
  head: InceptionHead,
  device: Signer,
  change: Pick<ChangeDevice['statement'], 'event' | 'capabilities'>,
): Promise<ChangeDevice> {
  const deviceId = deviceIdOf(device.ownerPublicKey)
  const statement = {
    type: 'svc/device-event/v1' as const,
    realm: REALM,
    ...link(root, head),
    deviceId,
    ...change,
    issuedAt: NOW,
  }
  return signStatement(statement, root.signer.sign)
}

async function officerAcceptance(statement: { did: string; scope: string }, officer: Signer) {
  const acceptance = {
    type: 'svc/officer-acceptance/v1' as const,
    realm: REALM,
    orgDid: statement.did,
    orgScope: statement.scope,
    officerDid: officer.did,
    rosterHash: statementHash(statement),
    inception: null,
    issuedAt: NOW,
  }
  return { ...(await signStatement(acceptance, officer.sign)), publicKeyB64u: officer.ownerPublicKey }
}

export const acceptancesOf = (
  statement: { did: string; scope: string },
  officers: readonly Signer[],
): Promise<SignedOfficerAcceptance[]> => Promise.all(officers.map((officer) => officerAcceptance(statement, officer)))

export async function orgOf(
  root: Root,
  head: InceptionHead,
  officers: readonly Signer[],
  quorum: number,
): Promise<InceptOrg> {
  const statement = {
    type: 'svc/org-inception/v1' as const,
    realm: REALM,
    ...link(root, head),
    officers: officers.map(({ did }) => did),
    quorum,
    issuedAt: NOW,
  }
  const acceptances = await acceptancesOf(statement, officers)
  return { ...(await signStatement(statement, root.signer.sign)), acceptances }
}

export async function officerChangeOf(
  root: Root,
  head: InceptionHead,
  roster: { officers: readonly Signer[]; quorum: number; version: number },
  { approving, accepting }: { approving: readonly Signer[]; accepting: readonly Signer[] },
): Promise<RotateOfficers> {
  const statement = {
    type: 'svc/org-officers/v1' as const,
    realm: REALM,
    ...link(root, head),
    officers: roster.officers.map(({ did }) => did),
    quorum: roster.quorum,
    rosterVersion: roster.version,
    issuedAt: NOW,
  }
  const approvals = await Promise.all(
    approving.map(async ({ did, ownerPublicKey, sign }) => ({
      officerDid: did,
      publicKeyB64u: ownerPublicKey,
      signatureB64u: (await signStatement(statement, sign)).signatureB64u,
    })),
  )
  return {
    ...(await signStatement(statement, root.signer.sign)),
    approvals,
    acceptances: await acceptancesOf(statement, accepting),
  }
}
