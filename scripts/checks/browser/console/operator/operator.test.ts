import { afterAll, describe, expect, it } from 'vitest'
import { Visit } from '../../browser.fixture.ts'
import { openConsole, press, says } from '../../console-page.fixture.ts'
import { looksWellInBoth } from '../own-browsers.fixture.ts'
import { looksWell, panel, TWO_LOOKS } from '../own-page.fixture.ts'
import { askForInvitation, keyFile, openKey, openOperator, someone } from './operator-page.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

const operatorFile = await keyFile(visit.platform.secrets.operatorSeed)

/** Two identities declare for one content. */
async function disputedContent(): Promise<{ url: string; claimant: string }> {
  const url = `https://photos.example/${crypto.randomUUID()}.jpg`
  const [holder, claimant] = [await someone(visit), await someone(visit)]
  await holder.consent.publish(url, { ai_training: 'allow' })
  await claimant.consent.publish(url, { ai_training: 'disallow' }).catch(() => {})
  const history = await holder.consent.history(url)
  return { url, claimant: history?.claims[0]?.creator_did ?? '' }
}

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('needs the key for everything but health, and forgets it with the page', async () => {
    const { page, complaints } = await openConsole(visit, '/operator', options)
    await panel(page, 'Health and queues').getByText('dead letters: 0 waiting').waitFor()
    await openKey(page, operatorFile, 'another passphrase')
    await says(page, 'The passphrase is wrong, or this is not an export of a key.')
    await looksWell(page, `operator-closed-${look}`)
    await openKey(page, operatorFile)
    await says(page, 'The key is open.')

    const name = `Ada ${crypto.randomUUID().slice(0, 8)}`
    await askForInvitation(visit, name)
    await press(page, 'Read: Invitations')
    await panel(page, 'Invitations').getByText(name).waitFor()
    await press(page, 'Read: Disputes about content')
    await press(page, 'Read: Dead letters')
    await press(page, 'Read: Takedowns')
    await panel(page, 'Takedowns').getByRole('button', { name: 'Read again: Takedowns' }).waitFor()
    await looksWell(page, `operator-open-${look}`)
    await press(page, `Approve: ${name}`)
    await says(page, 'Approved. The code is mailed within the hour.')
    await panel(page, 'Invitations')
      .getByRole('button', { name: `Approve: ${name}` })
      .waitFor({ state: 'detached' })

    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
    await page.reload()
    await page.getByRole('heading', { name: 'The operator’s key' }).waitFor()
    expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
    expect(complaints).toEqual([])
  })
})

it('issues a code that gives a plan', async () => {
  const { page, complaints } = await openOperator(visit)
  const codes = panel(page, 'Codes')
  await codes.getByLabel('Days').fill('0')
  await press(page, 'Issue a code')
  await says(page, 'Enter a number of days from 1 to 3660.')
  await codes.getByLabel('Plan').selectOption('Atelier')
  await codes.getByLabel('Days').fill('7')
  await press(page, 'Issue a code')
  const code = (await codes.locator('[data-name="issued code"]').textContent()) ?? ''
  const client = await someone(visit)
  expect(await client.entitlement.redeem(code)).toMatchObject({ tier: 'atelier', source: 'code' })
  expect(complaints).toEqual([])
})

it('takes a text down, and decides a dispute', async () => {
  const { page, complaints } = await openOperator(visit)
  const registrant = await someone(visit)
  const text = `A text about ${Array.from({ length: 30 }, () => crypto.randomUUID().slice(0, 8)).join(' ')}`
  const { asset_id: id } = await registrant.provenance.registerText(text)
  const takedowns = panel(page, 'Takedowns')
  await takedowns.getByLabel('Kind').selectOption('Text')
  await takedowns.getByLabel('Id').fill(id)
  await press(page, 'Take down')
  await page.getByRole('dialog').getByRole('button', { name: 'Take down' }).click()
  await says(page, 'Taken down.')
  await press(page, 'Read: Takedowns')
  await takedowns.getByText(id).waitFor()
  await takedowns.getByText('Carried out on').first().waitFor()

  const { url, claimant } = await disputedContent()
  await press(page, 'Read: Disputes about content')
  const disputes = panel(page, 'Disputes about content')
  await disputes.getByText(url).waitFor()
  await looksWellInBoth(page, 'operator-dispute')
  await press(page, `Decide for this creator: ${claimant}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Decide for this creator' }).click()
  await says(page, 'Decided.')
  await disputes.getByText(url).waitFor({ state: 'detached' })
  expect((await registrant.consent.history(url))?.creatorDid).toBe(claimant)
  await looksWellInBoth(page, 'operator-decided')
  expect(complaints).toEqual([])
})

it('says so if the key is that of somebody else', async () => {
  const { page } = await openConsole(visit, '/operator')
  await openKey(page, await keyFile(crypto.getRandomValues(new Uint8Array(32))))
  await says(page, 'The key is open.')
  await press(page, 'Read: Invitations')
  await says(page, 'The service refused the signature: this is not the operator’s key of this deployment.')
})
