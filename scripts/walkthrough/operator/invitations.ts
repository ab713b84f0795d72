import { inviteAct, type OperatorAct, readAct, sendOperatorAct } from '@svc/operations/operator-act'
import { envelopeOf } from '@svc/protocol/http/envelope'
import { type Invite, invitePageSchema } from '@svc/protocol/operator/invites'
import { named, newcomer, ownAddress, type Show, titled, type World } from '../world.ts'

const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

/** Three people ask for an invitation: one is approved and redeems the code, one is declined, one is forgotten. */
export async function invitations(world: World, show: Show): Promise<void> {
  const { core, mail } = world
  // The state keeps requests, so each run has other people.
  const run = crypto.randomUUID()
  const [ada, bea, cyd] = [`ada.${run}@example.org`, `bea.${run}@example.org`, `cyd.${run}@example.org`]
  await show('anyone: opens the invitation page', '200, Request an invitation', async () =>
    titled(await fetch(`${core}/invite-request`)),
  )
  await show('ada, bea and cyd: ask for an invitation', '200, Your request was received, three times', async () => {
    const pages = new Set<string>()
    for (const email of [ada, bea, cyd]) pages.add(await titled(await ask(core, email)))
    return `${[...pages].join(' or ')}, three times`
  })
  await show('ada: asks again from another spelling of her address', '200, and one request', async () => {
    const { status } = await ask(core, ada.toUpperCase().replace('@', '+again@'))
    const hers = (await requests(world)).filter(({ email }) => email?.startsWith(`ada.${run}`))
    return `${status}, and ${hers.length === 1 ? 'one request' : `${hers.length} requests`}`
  })
  const ids = new Map((await requests(world)).map(({ id, email }) => [email, id]))
  const idOf = (email: string) => ids.get(email) ?? ''
  await show('operator: lists the requests', '3 open, oldest first', async () => {
    const all = await requests(world)
    const mine = all.filter(({ email, state }) => email?.includes(run) && state === 'open')
    const isSorted = all.every(({ requestedAt }, i) => requestedAt >= (all[i - 1]?.requestedAt ?? 0))
    return `${mine.length} open, ${isSorted ? 'oldest first' : 'in no order'}`
  })
  await show('operator: approves ada, twice', '200, 200, one mail', async () => {
    const first = await act(world, inviteAct(['approve', idOf(ada)]))
    const second = await act(world, inviteAct(['approve', idOf(ada)]))
    await mail.codeIn(ada)
    return `${first}, ${second}, ${mail.countOf(ada) === 1 ? 'one mail' : 'more mails'}`
  })
  await show('must fail: declining her after that', '409 invite_decided', async () =>
    act(world, inviteAct(['decline', idOf(ada)])),
  )
  await redeeming(world, ada, show)
  await show('operator: declines bea, who hears nothing', '200, no mail', async () => {
    const declined = await act(world, inviteAct(['decline', idOf(bea)]))
    return `${declined}, ${mail.countOf(bea) === 0 ? 'no mail' : 'a mail'}`
  })
  await show('operator: forgets cyd', '200, approved, declined, gone', async () => {
    const forgotten = await act(world, inviteAct(['forget', idOf(cyd)]))
    const states = new Map((await requests(world)).map(({ id, state }) => [id, state]))
    return [forgotten, ...[ada, bea, cyd].map((email) => states.get(idOf(email)) ?? 'gone')].join(', ')
  })
}

/** Ada reads her mail, and redeems the code with an identity that she has just made. */
async function redeeming(world: World, ada: string, show: Show): Promise<void> {
  const { client } = await newcomer(world)
  await client.chain.genesis()
  const code = await world.mail.codeIn(ada)
  await show('ada: redeems the code from her mail', 'provenance, for 90 days', async () => {
    const grant = await client.entitlement.redeem(code)
    return `${grant.tier}, for ${(grant.periodEnd - grant.periodStart) / 86_400_000} days`
  })
  await show('ada: sees her tier at pay and at core', 'provenance, provenance', async () => {
    const [{ tier }, licence] = [await client.entitlement.current(), await client.account.licence()]
    return `${tier}, ${licence.tier}`
  })
  await show('must fail: somebody else redeems it', '404 code_unusable', async () => {
    const other = await newcomer(world)
    await other.client.chain.genesis()
    return other.client.entitlement.redeem(code).then(() => 'redeemed', named)
  })
}

/** Sends the form, as a browser does. */
function ask(core: string, email: string): Promise<Response> {
  const body = new URLSearchParams({
    email,
    name: 'Ada Lovelace',
    reason: 'Keep notes on an engine.',
    'cf-turnstile-response': DUMMY_TOKEN,
  })
  return fetch(`${core}/invite-request`, { method: 'POST', headers: ownAddress(), body })
}

/** Every request, as the operator reads it. */
async function requests(world: World): Promise<Invite[]> {
  const found: Invite[] = []
  for (let next: number | null = 0; next !== null; ) {
    const read = readAct(['invites', 'list', String(next)])
    if (!read) throw new Error('not a read')
    const { data } = envelopeOf(invitePageSchema).parse(await (await sent(world, read)).json())
    found.push(...data.invites)
    next = data.next
  }
  return found
}

/** The status of an act, with the name of its refusal. */
async function act(world: World, signed: OperatorAct | null): Promise<string> {
  if (!signed) return 'no act'
  const response = await sent(world, signed)
  if (response.ok) return String(response.status)
  const { error } = (await response.json()) as { error?: string }
  return `${response.status} ${error}`
}

/** From an address of its own: a list may have more pages than one address can read in a minute. */
function sent({ core, secrets }: World, signed: OperatorAct): Promise<Response> {
  return sendOperatorAct({ service: core, realm: core }, secrets.operatorSeed, signed, ownAddress())
}
