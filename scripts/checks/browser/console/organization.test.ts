import { Client, Identity } from '@svc/client'
import { statusOf, subjectHashOf } from '@svc/client/functions'
import { licenceAct, sendOperatorAct } from '@svc/operations/operator-act'
import { afterAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../../running-platform/fresh-address.ts'
import { Visit } from '../browser.fixture.ts'
import { follow, openConsole, says, titled } from '../console-page.fixture.ts'
import { backupOf, looksWellInBoth, useBackup } from './own-browsers.fixture.ts'
import { looksWell, openOwn, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { openPaired } from './paired.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const PROVIDER = 'login.example.com'
const KEY = 'a7'.repeat(32)
/** An address may create five identities in a minute. */
const fromAnother = () => ({ 'cf-connecting-ip': freshAddress() })

async function someone() {
  const identity = await Identity.create()
  const { core } = visit.platform.urls
  const client = await Client.connect({ core, identity, headers: fromAnother(), origin: 'http://localhost:3000' })
  await client.chain.genesis()
  return { identity, client }
}

/** Makes the identity an organization with one officer and one member, who has accepted. */
async function organize(client: Client, { did: orgDid }: Identity): Promise<string> {
  const [officer, member] = [await someone(), await someone()]
  const statement = await client.organization.makeInception([officer.identity.did], 1, await client.devices.head())
  await client.organization.incept(statement, [await officer.client.organization.accept(statement)])
  const { urls, secrets } = visit.platform
  const grant = licenceAct(['grant-plan', orgDid, 'provenance', '30'], Date.now())
  if (!grant) throw new Error('no such act')
  const sent = await sendOperatorAct(
    { service: urls.pay, realm: urls.core },
    secrets.operatorSeed,
    grant,
    fromAnother(),
  )
  expect(sent.status).toBe(200)
  const memberDid = member.identity.did
  const subjectHash = subjectHashOf(KEY, { orgDid, provider: PROVIDER, subject: 'member@example.com' })
  const acceptance = await member.client.membership.accept({ orgDid, provider: PROVIDER, subjectHash })
  await client.members.bind({ memberDid, provider: PROVIDER, subjectHash, role: 'manager', acceptance })
  return memberDid
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('shows officers and members of an organization, from its verified log', async () => {
    let memberDid = ''
    const { page, complaints } = await openPaired(visit, {
      menu: 'Organizations',
      title: 'Organizations',
      look: options,
      before: async (client, identity) => {
        memberDid = await organize(client, identity)
      },
    })
    const roster = panel(page, 'Your organization')
    await roster.getByText('1 of 1 officers decide').waitFor()
    const row = roster.getByRole('listitem').filter({ hasText: memberDid })
    await row.getByText('manager').waitFor()
    await row.getByText('active').waitFor()
    await looksWell(page, `organization-${look}`)
    expect(complaints).toEqual([])
  })
})

it('a member signs the acceptance that the organization needs', async () => {
  const org = await someone()
  const { page } = await openOwn(visit, '/organization', 'Organizations')
  await panel(page, 'Your organization').getByText('This identity is not an organization.').waitFor()
  await page.getByLabel('DID of the organization').fill(org.identity.did)
  await page.getByLabel('Identity provider').fill(PROVIDER)
  const subject = { orgDid: org.identity.did, provider: PROVIDER, subject: 'me@example.com' }
  await page.getByLabel('Subject hash').fill(subjectHashOf(KEY, subject))
  await page.getByRole('button', { name: 'Sign the acceptance' }).click()
  await page.getByRole('button', { name: 'Sign the acceptance' }).click()
  const signed = await panel(page, 'Join an organization').locator('pre').textContent()
  expect(JSON.parse(signed ?? '')).toMatchObject({ statement: { orgDid: org.identity.did, provider: PROVIDER } })
})

it('suspends a member, resumes it and revokes it, each with the root key', async () => {
  const org = await someone()
  await org.client.did.register()
  const memberDid = await organize(org.client, org.identity)
  const { page, complaints } = await openConsole(visit, '/')
  await useBackup(page, { did: org.identity.did, backup: await backupOf(org.identity) })
  await follow(page, 'Organizations')
  await titled(page, 'Organizations')
  const row = panel(page, 'Your organization').getByRole('listitem').filter({ hasText: memberDid }).last()
  const statusNow = async () => {
    const member = (await org.client.members.verify()).members.get(memberDid)
    return member && statusOf(member, Date.now())
  }
  for (const [act, status] of [
    ['Suspend', 'suspended'],
    ['Resume', 'active'],
    ['Revoke', 'revoked'],
  ] as const) {
    await row.getByRole('button', { name: `${act} ${memberDid}` }).click()
    await row.getByRole('button', { name: act, exact: true }).click()
    await says(page, 'The change was logged.')
    await row.getByText(status, { exact: true }).waitFor()
    await looksWellInBoth(page, `organization-${status}`)
    expect(await statusNow()).toBe(status)
  }
  expect(await row.getByRole('button').count()).toBe(0)
  expect(complaints).toEqual([])
})
