import { setTimeout } from 'node:timers/promises'
import { subjectHashOf } from '@svc/client/functions'
import { licenceAct } from '@svc/operations/operator-act'
import { toHex } from '@svc/protocol/base/hash'
import type { Cast } from './cast.ts'

const PROVIDER = 'login.example.com'

/** A rotation that was reported as active, and an organization with a member. */
export async function rememberDid(cast: Cast): Promise<void> {
  await rotation(cast)
  await organization(cast)
}

async function rotation(cast: Cast): Promise<void> {
  const { identity, client } = await cast.someone()
  const successor = await identity.successor()
  const requested = await client.rotation.request(await client.rotation.makeRequest(successor, { version: 2 }))
  await setTimeout(Math.max(0, (requested.deadline ?? 0) - Date.now() + 100))
  const { rotationId } = await client.rotation.activate(requested)
  const renewed = cast.clientOf(successor)
  await renewed.did.register()
  const { recordedAt } = await renewed.rotation.noteActivation(rotationId)
  cast.memories.holds('a rotation in the books of the resolver', async () => {
    // The first report counts: a second one records nothing.
    return (await renewed.rotation.noteActivation(rotationId)).recordedAt === recordedAt
  })
  cast.memories.holds('the document of the new key', async () => {
    const { didDocument } = await cast.anyone.did.resolve(identity.did)
    return didDocument?.verificationMethod[0]?.id === `${identity.did}#root-1`
  })
}

async function organization(cast: Cast): Promise<void> {
  const [org, officer, member] = [await cast.someone(), await cast.someone(), await cast.someone()]
  const [orgDid, memberDid] = [org.identity.did, member.identity.did]
  const statement = await org.client.organization.makeInception(
    [officer.identity.did],
    1,
    await org.client.devices.head(),
  )
  await org.client.organization.incept(statement, [await officer.client.organization.accept(statement)])
  await cast.perform(licenceAct(['grant-plan', orgDid, 'provenance', '30'], Date.now()))
  const key = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const subjectHash = subjectHashOf(key, { orgDid, provider: PROVIDER, subject: 'member@example.com' })
  const terms = {
    memberDid,
    provider: PROVIDER,
    subjectHash,
    role: 'member' as const,
    permissions: ['content:sign'] as const,
  }
  await org.client.members.bind(terms)
  const acceptance = await member.client.membership.accept({ orgDid, provider: PROVIDER, subjectHash })
  await org.client.members.update({ ...terms, acceptance })
  cast.memories.holds('a member of an organization', async () => {
    return (await cast.anyone.membership.safeVerify(orgDid, memberDid)).ok
  })
}
