import type { Client } from '#client'
import { shellWordOf } from '#client/text'
import { CliError, invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { writeNew } from '../files.ts'
import { argument, count, type Given, list, option, type Result } from '../result.ts'

export type Proposal =
  | Awaited<ReturnType<Client['organization']['makeInception']>>
  | Awaited<ReturnType<Client['organization']['makeRotation']>>
type Acceptance = Awaited<ReturnType<Client['organization']['accept']>>
type Approval = Awaited<ReturnType<Client['organization']['approve']>>

/** What an officer hands back. */
export interface Accepted {
  readonly format: 'svc/org-accepted/v1'
  /** Of a new officer. */
  readonly acceptance: Acceptance | null
  /** Of an officer of the list before, who approves the change. */
  readonly approval: Approval | null
}

export async function propose(context: Context, given: Given): Promise<Result> {
  const officers = list(given, 'officer')
  if (officers.length === 0) throw usage('The officers are missing', 'name them with --officer')
  const quorum = count(given, 'quorum', Math.floor(officers.length / 2) + 1)
  const client = await context.client()
  const { organization, devices } = client
  const current = await currentOf(client, await context.did())
  const head = await devices.head()
  const proposal = current
    ? await organization.makeRotation(officers, quorum, current.version + 1, head)
    : await organization.makeInception(officers, quorum, head)
  const name = option(given, 'out') ?? 'officers.json'
  const file = context.pathOf(name)
  const version = (current?.version ?? 0) + 1
  if (!context.options.dryRun) await writeNew(file, `${JSON.stringify(proposal, null, 2)}\n`)
  return {
    data: { file, officers, quorum, version },
    text: [
      `${context.options.dryRun ? 'Would write' : 'Wrote'} ${file}: list ${version} with ${officers.length} officers, quorum ${quorum}.`,
      `Next: ${current ? 'each new officer, and a quorum of those before,' : 'each officer'} runs svc org accept ${shellWordOf(name)}`,
    ],
  }
}

export async function create(context: Context, given: Given): Promise<Result> {
  const proposal = await proposalIn(context, argument(given, 0))
  const files = list(given, 'accepted')
  if (files.length === 0) throw usage('What the officers accepted is missing', 'pass their files with --accepted')
  const accepted = await Promise.all(files.map((file) => acceptedIn(context, file)))
  const acceptances = accepted.flatMap(({ acceptance }) => acceptance ?? [])
  const approvals = accepted.flatMap(({ approval }) => approval ?? [])
  const { did: org, officers: dids, quorum } = proposal
  const version = isChange(proposal) ? proposal.rosterVersion : 1
  const data = { org, version, officers: dids, quorum }
  if (context.options.dryRun) return { data, text: `Would put list ${version} in force.` }
  await context.confirm(`Put the list of ${dids.length} officers in force? Later changes need a quorum of them.`)
  const { organization } = await context.client()
  if (isChange(proposal)) await organization.rotateOfficers(proposal, { approvals, acceptances })
  else await organization.incept(proposal, acceptances)
  return { data, text: `${org} has ${dids.length} officers, quorum ${quorum}: list ${version}.` }
}

export async function showOfficers(context: Context, { args: [given] }: Given): Promise<Result> {
  const org = given ?? (await context.did())
  const client = await context.client('nobody')
  const found = await currentOf(client, org)
  if (!found)
    throw new CliError({
      exitCode: EXIT.refused,
      code: 'not_an_org',
      message: `${org} is not an organization`,
      next: 'check the DID; an identity becomes an organization with svc org propose',
      page: '/developer/organization-officers',
    })
  const { version, officers: dids, quorum, since } = found
  return {
    data: { org, version, officers: dids, quorum, since },
    text: [`list ${version}, quorum ${quorum}, since ${new Date(since).toISOString()}`, ...dids],
  }
}

export function isChange(proposal: Proposal): proposal is Extract<Proposal, { rosterVersion: number }> {
  return 'rosterVersion' in proposal
}

/** The newest list, or null. Without a time, the answer could be some minutes old; the time is that of the services. */
export async function currentOf(client: Client, org: string) {
  const { timestamp } = await client.health()
  try {
    return await client.membership.officers(org, { at: timestamp })
  } catch (error) {
    if (error instanceof Error && error.name === 'ServiceError' && 'status' in error && error.status === 404)
      return null
    throw error
  }
}

/** The signatures are verified where the statement is sent, and by everybody who reads the list. */
export async function proposalIn(context: Context, name: string): Promise<Proposal> {
  const value = await context.readJson(name)
  const type = isRecord(value) ? value['type'] : undefined
  if (type === 'svc/org-inception/v1' || type === 'svc/org-officers/v1') return value as Proposal
  throw invalid('malformed', `${name} is not a list of officers`, 'pass the file that svc org propose wrote')
}

async function acceptedIn(context: Context, name: string): Promise<Accepted> {
  const value = await context.readJson(name)
  if (isRecord(value) && value['format'] === 'svc/org-accepted/v1') return value as unknown as Accepted
  throw invalid('malformed', `${name} is not what an officer accepted`, 'pass the file that svc org accept wrote')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
