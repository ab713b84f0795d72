/** What the tests of organizations share: one with officers, and the changes that they sign. */
import type { InceptionHead, InceptOrg, RotateOfficers } from '@svc/protocol/inception'
import { signStatement } from '@svc/protocol/statement'
import type { TestCaller } from '@svc/testing'
import { anonymous, freshCaller } from './harness.ts'
import { type Answer, following, post } from './inception.fixture.ts'

export const callers = (count: number): Promise<TestCaller[]> =>
  Promise.all(Array.from({ length: count }, () => freshCaller()))

const didsOf = (officers: readonly TestCaller[]) => officers.map(({ identity }) => identity.did)

export async function signedBy<S extends InceptOrg['statement'] | RotateOfficers['statement']>(
  { identity }: TestCaller,
  statement: S,
) {
  return signStatement(statement, (message) => identity.sign(message))
}

/** A good inception of the caller as an organization, accepted by each officer unless told. */
export async function inceptionBy(
  org: TestCaller,
  officers: readonly TestCaller[],
  quorum: number,
  accepting: readonly TestCaller[] = officers,
): Promise<InceptOrg> {
  const { organization, devices } = org.client
  const statement = organization.makeInception(didsOf(officers), quorum, await devices.head())
  const acceptances = await Promise.all(accepting.map(({ client }) => client.organization.accept(statement)))
  return { ...(await signedBy(org, statement)), acceptances }
}

/** An organization of so many officers. */
export async function organizationOf(count: number, quorum: number) {
  const [org, ...officers] = (await callers(count + 1)) as [TestCaller, ...TestCaller[]]
  const inception = await inceptionBy(org, officers, quorum)
  const { status } = await post(org, 'org', inception)
  if (status !== 200) throw new Error(`no organization: ${status}`)
  return { org, officers, inception, head: following(inception) }
}

/** An organization of Ann, Ben and Cat, two of whom decide, and Dan, who is none of them. */
export async function trio() {
  const made = await organizationOf(3, 2)
  const [ann, ben, cat] = made.officers
  return { ...made, ann: ann!, ben: ben!, cat: cat!, dan: await freshCaller() }
}

export interface OfficerChange {
  readonly officers: readonly TestCaller[]
  readonly quorum?: number
  /** 2 unless told: the first change. */
  readonly version?: number
  readonly approving?: readonly TestCaller[]
  readonly accepting?: readonly TestCaller[]
  readonly head?: InceptionHead
}

/** A change of officers, signed by the organization's key and by whoever approves and accepts. */
export async function rotationBy(org: TestCaller, change: OfficerChange): Promise<RotateOfficers> {
  const { officers, quorum = 1, version = 2, approving = [], accepting = [] } = change
  const head = change.head ?? (await org.client.devices.head())
  const statement = org.client.organization.makeRotation(didsOf(officers), quorum, version, head)
  const approvals = await Promise.all(approving.map(({ client }) => client.organization.approve(statement)))
  const acceptances = await Promise.all(accepting.map(({ client }) => client.organization.accept(statement)))
  return { ...(await signedBy(org, statement)), approvals, acceptances }
}

/** Sends a change of officers, which needs no assertion. */
export function rotate(rotation: RotateOfficers): Promise<Answer> {
  return anonymous('POST', '/api/inception/org-officers', rotation)
}
