/** Shared by the tests of organizations: one with officers, and the changes that they sign. */

import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import type { InceptOrg, RotateOfficers } from '@svc/protocol/devices/inception'
import type { OfficerApproval, SignedOfficerAcceptance } from '@svc/protocol/devices/officers'
import type { TestCaller } from '@svc/testing'
import { signerOf } from '@svc/testing'
import { anonymous, freshCaller } from '../harness.ts'
import { type Answer, following, post } from './inception.fixture.ts'

export const callers = (count: number): Promise<TestCaller[]> =>
  Promise.all(Array.from({ length: count }, () => freshCaller()))

const didsOf = (officers: readonly TestCaller[]) => officers.map(({ identity }) => identity.did)

export async function signedBy<S extends InceptOrg['statement'] | RotateOfficers['statement']>(
  { identity }: TestCaller,
  statement: S,
) {
  return signStatement(statement, signerOf(identity))
}

/** A valid inception of the caller as an organization, accepted by each officer by default. */
export async function inceptionBy(
  org: TestCaller,
  officers: readonly TestCaller[],
  quorum: number,
  accepting: readonly TestCaller[] = officers,
): Promise<InceptOrg> {
  const { organization, devices } = org.client
  const statement = await organization.makeInception(didsOf(officers), quorum, await devices.head())
  const acceptances = await Promise.all(accepting.map((officer) => acceptanceBy(officer, statement)))
  return { ...(await signedBy(org, statement)), acceptances }
}

/** An organization with so many officers. */
export async function organizationOf(count: number, quorum: number) {
  const [org, ...officers] = (await callers(count + 1)) as [TestCaller, ...TestCaller[]]
  const inception = await inceptionBy(org, officers, quorum)
  const { status } = await post(org, 'org', inception)
  if (status !== 200) throw new Error(`no organization: ${status}`)
  return { org, officers, inception, head: following(inception) }
}

/** An organization of Ann, Ben and Cat with a quorum of two, and Dan, who is not an officer. */
export async function trio() {
  const made = await organizationOf(3, 2)
  const [ann, ben, cat] = made.officers
  return { ...made, ann: ann!, ben: ben!, cat: cat!, dan: await freshCaller() }
}

export interface OfficerChange {
  readonly officers: readonly TestCaller[]
  readonly quorum?: number
  /** Defaults to 2: the first change. */
  readonly version?: number
  readonly approving?: readonly TestCaller[]
  readonly accepting?: readonly TestCaller[]
  readonly head?: InceptionHead
}

/** What `organization.approve` returns; the SDK refuses to sign a statement that core would reject. */
async function approvalBy(officer: TestCaller, statement: RotateOfficers['statement']): Promise<OfficerApproval> {
  const { did: officerDid, publicKeyB64u } = officer.identity
  return { officerDid, publicKeyB64u, signatureB64u: (await signedBy(officer, statement)).signatureB64u }
}

/** What `organization.accept` returns, also for an officer whose key core refuses. */
export async function acceptanceBy(
  officer: TestCaller,
  statement: InceptOrg['statement'] | RotateOfficers['statement'],
  inception: InceptionHead | null = null,
): Promise<SignedOfficerAcceptance> {
  const { did: officerDid, publicKeyB64u } = officer.identity
  const { did: orgDid, scope: orgScope, realm, issuedAt } = statement
  const acceptance = {
    type: 'svc/officer-acceptance/v1' as const,
    realm,
    orgDid,
    orgScope,
    officerDid,
    rosterHash: statementHash(statement),
    inception,
    issuedAt,
  }
  return { ...(await signStatement(acceptance, signerOf(officer.identity))), publicKeyB64u }
}

/** A change of officers, signed by the organization’s key and everyone who approves and accepts. */
export async function rotationBy(org: TestCaller, change: OfficerChange): Promise<RotateOfficers> {
  const { officers, quorum = 1, version = 2, approving = [], accepting = [] } = change
  const head = change.head ?? (await org.client.devices.head())
  const statement = await org.client.organization.makeRotation(didsOf(officers), quorum, version, head)
  const approvals = await Promise.all(approving.map((officer) => approvalBy(officer, statement)))
  const acceptances = await Promise.all(accepting.map((officer) => acceptanceBy(officer, statement)))
  return { ...(await signedBy(org, statement)), approvals, acceptances }
}

/** Sends a change of officers, which needs no assertion. */
export function rotate(rotation: RotateOfficers): Promise<Answer> {
  return anonymous('POST', '/api/inception/org-officers', rotation)
}
