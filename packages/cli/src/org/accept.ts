import type { Client } from '#client'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'
import { type Accepted, currentOf, isChange, isRecord, type Proposal } from './officers.ts'

/** What a member is asked to accept. */
export interface Invitation {
  readonly format: 'svc/org-invitation/v1'
  readonly orgDid: string
  readonly memberDid: string
  readonly provider: string
  readonly subjectHash: string
  readonly role: string
  readonly permissions: readonly string[]
}

/** The person sees what it is before anything is signed. */
export async function accept(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const value = await context.readJson(name)
  const file = context.pathOf(option(given, 'out') ?? `${name}.accepted.json`)
  const did = await context.did()
  const asked = askedIn(value, name, did)
  if (context.options.dryRun) return { data: { file, org: asked.org, as: asked.as }, text: `Would sign: ${asked.what}` }
  await mustBeNew(file)
  await context.confirm(asked.what)
  const client = await context.client()
  const signed =
    asked.kind === 'officers' ? await asOfficer(client, asked.value, did) : await asMember(client, asked.value)
  await writeNew(file, `${JSON.stringify(signed, null, 2)}\n`)
  return { data: { file, org: asked.org, as: asked.as }, text: [`Wrote ${file}`, `Next: hand it to ${asked.org}`] }
}

type Asked = { readonly org: string; readonly as: 'officer' | 'member'; readonly what: string } & (
  | { readonly kind: 'officers'; readonly value: Proposal }
  | { readonly kind: 'invitation'; readonly value: Invitation }
)

function askedIn(value: unknown, name: string, did: string): Asked {
  const type = isRecord(value) ? (value['type'] ?? value['format']) : undefined
  if (type === 'svc/org-inception/v1' || type === 'svc/org-officers/v1') {
    const proposal = value as Proposal
    const { officers, quorum } = proposal
    const what = `Accept the list of ${officers.length} officers of ${proposal.did}, quorum ${quorum}?`
    return { kind: 'officers', value: proposal, org: proposal.did, as: 'officer', what }
  }
  if (type !== 'svc/org-invitation/v1')
    throw invalid('malformed', `${name} asks for nothing`, 'pass the file of svc org propose or svc org bind')
  const invitation = value as Invitation
  if (invitation.memberDid !== did)
    throw usage(`The invitation is for ${invitation.memberDid}`, 'use the profile of that identity')
  const { orgDid, provider, role, permissions } = invitation
  const what = `Become ${role} of ${orgDid} with your account at ${provider}${permissions.length > 0 ? `, to ${permissions.join(', ')}` : ''}?`
  return { kind: 'invitation', value: invitation, org: orgDid, as: 'member', what }
}

async function asOfficer(client: Client, proposal: Proposal, did: string): Promise<Accepted> {
  const { organization } = client
  const before = isChange(proposal) ? await currentOf(client, proposal.did) : null
  return {
    format: 'svc/org-accepted/v1',
    acceptance: proposal.officers.includes(did) ? await organization.accept(proposal) : null,
    approval: isChange(proposal) && before?.officers.includes(did) ? await organization.approve(proposal) : null,
  }
}

async function asMember({ membership }: Client, { orgDid, provider, subjectHash }: Invitation) {
  return { format: 'svc/org-joined/v1', acceptance: await membership.accept({ orgDid, provider, subjectHash }) }
}
