import { join } from 'node:path'
import type { BindingTerms, Client } from '#client'
import { shellWordOf } from '#client/text'
import { invalid, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { SealedFile } from '../keys/sealed-file.ts'
import { argument, type Given, list, option, type Result } from '../result.ts'
import type { Invitation } from './accept.ts'
import { isRecord } from './officers.ts'

const SECRET_BYTES = 32
const INVITATION = 'invitation.json'
const ROLES = ['guest', 'member', 'manager', 'admin']

type Terms = Omit<BindingTerms, 'acceptance'>
type Member = Parameters<typeof import('#client/functions').statusOf>[0]

/** Without an acceptance, the binding is pending, and an invitation tells the member what to accept. */
export async function bind(context: Context, given: Given): Promise<Result> {
  const memberDid = argument(given, 0)
  const name = option(given, 'accepted')
  const acceptance = name === undefined ? undefined : await acceptanceIn(context, name)
  const client = await context.client()
  const orgDid = await context.did()
  const known = (await client.members.verify(orgDid)).members.get(memberDid)
  const terms = await termsOf(context, given, { orgDid, memberDid, known })
  if (context.options.dryRun) return { data: { memberDid }, text: `Would bind ${memberDid} as ${terms.role}.` }
  if (!acceptance) await mustBeNew(context.pathOf(option(given, 'out') ?? INVITATION))
  const isKnown = known !== undefined && !known.isRevoked
  const signed = { ...terms, ...(acceptance && { acceptance }) }
  const { sequence, hash } = await (isKnown ? client.members.update(signed) : client.members.bind(signed))
  const member = await statusNow(context, client, memberDid)
  const invitation = member === 'pending' ? await invited(context, given, { orgDid, ...terms }) : null
  return {
    data: { memberDid, event: isKnown ? 'update' : 'bind', sequence, hash, status: member, invitation },
    text: [
      `${memberDid} is ${member}.`,
      ...(invitation === null ? [] : [`Next: the member runs svc org accept ${shellWordOf(invitation)}`]),
    ],
  }
}

export async function change(context: Context, given: Given, event: 'suspend' | 'resume' | 'revoke'): Promise<Result> {
  const memberDid = argument(given, 0)
  if (context.options.dryRun) return { data: { memberDid, event }, text: `Would ${event} ${memberDid}.` }
  if (event === 'revoke') await context.confirm(`End the membership of ${memberDid}?`)
  const client = await context.client()
  const { sequence, hash } = await client.members[event](memberDid)
  return {
    data: { memberDid, event, sequence, hash },
    text: `${memberDid} is ${await statusNow(context, client, memberDid)}.`,
  }
}

export async function members(context: Context, { args: [given] }: Given): Promise<Result> {
  const org = given ?? (await context.did())
  const { statusOf } = await import('#client/functions')
  const roster = await (await context.client()).members.verify(org)
  const now = context.environment.now()
  const shown = [...roster.members.values()].map((member) => ({
    memberDid: member.memberDid,
    status: statusOf(member, now),
    role: member.role,
    permissions: member.permissions,
    provider: member.provider,
    expiresAt: member.expiresAt,
  }))
  return {
    data: { org, sequence: roster.head.sequence, members: shown },
    text:
      shown.length === 0
        ? 'There are no members.'
        : shown.map(({ memberDid, status, role }) => `${memberDid}  ${status}  ${role}`),
  }
}

export async function check(context: Context, given: Given): Promise<Result> {
  const [org, member] = [argument(given, 0), argument(given, 1)]
  const answer = await (await context.client('nobody')).membership.verify(org, member)
  return { data: answer, text: `${member} is a member of ${org}, as the DID service says.` }
}

interface About {
  readonly orgDid: string
  readonly memberDid: string
  readonly known: Member | undefined
}

async function termsOf(context: Context, given: Given, { orgDid, memberDid, known }: About): Promise<Terms> {
  const provider = option(given, 'provider') ?? known?.provider
  if (provider === undefined) throw usage('The provider is missing', 'pass --provider, such as login.example.com')
  const subject = option(given, 'subject')
  const subjectHash =
    subject === undefined ? known?.subjectHash : await hashOfSubject(context, { orgDid, provider, subject })
  if (subjectHash === undefined) throw usage('The subject is missing', 'pass --subject with the name at the provider')
  const role = option(given, 'role') ?? known?.role ?? 'member'
  if (!ROLES.includes(role)) throw usage(`"${role}" is not a role`, `choose one of ${ROLES.join(', ')}`)
  const permissions = list(given, 'permission')
  const expires = option(given, 'expires')
  const expiresAt = expires === undefined ? known?.expiresAt : timeOf(expires)
  return {
    memberDid,
    provider,
    subjectHash,
    role: role as Terms['role'],
    permissions: (permissions.length > 0 ? permissions : (known?.permissions ?? [])) as NonNullable<
      Terms['permissions']
    >,
    ...(typeof expiresAt === 'number' && { expiresAt }),
  }
}

interface Subject {
  readonly orgDid: string
  readonly provider: string
  readonly subject: string
}

/** Under the secret of the organization, made the first time and kept encrypted: only it can tell whose a hash is. */
async function hashOfSubject(context: Context, subject: Subject): Promise<string> {
  const { subjectHashOf } = await import('#client/functions')
  const passphrase = await context.passphraseOf(subject.orgDid)
  const file = new SealedFile(join(context.folders.data, 'org', `${subject.orgDid.slice(8)}.age`))
  const found = await file.load(passphrase)
  const kept = isRecord(found) && typeof found['secretHex'] === 'string' ? found['secretHex'] : null
  const secretHex = kept ?? Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('hex')
  if (kept === null) {
    await file.save({ secretHex }, passphrase)
    context.output.warn(`${file.path} has the secret of the organization, encrypted: keep a copy of it.`)
  }
  return subjectHashOf(secretHex, subject)
}

async function invited(
  context: Context,
  given: Given,
  { orgDid, ...terms }: Terms & { orgDid: string },
): Promise<string> {
  const { memberDid, provider, subjectHash, role, permissions = [] } = terms
  const invitation: Invitation = {
    format: 'svc/org-invitation/v1',
    orgDid,
    memberDid,
    provider,
    subjectHash,
    role,
    permissions,
  }
  const path = context.pathOf(option(given, 'out') ?? INVITATION)
  await writeNew(path, `${JSON.stringify(invitation, null, 2)}\n`)
  return path
}

async function statusNow(context: Context, client: Client, memberDid: string): Promise<string> {
  const { statusOf } = await import('#client/functions')
  const member = (await client.members.verify()).members.get(memberDid)
  return member ? statusOf(member, context.environment.now()) : 'unknown'
}

type Joined = NonNullable<BindingTerms['acceptance']>

async function acceptanceIn(context: Context, name: string): Promise<Joined> {
  const value = await context.readJson(name)
  if (isRecord(value) && value['format'] === 'svc/org-joined/v1') return value['acceptance'] as Joined
  throw invalid('malformed', `${name} is not what a member accepted`, 'pass the file that svc org accept wrote')
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw usage(`"${text}" is not a date`, 'pass one such as 2027-12-31')
  return time
}
