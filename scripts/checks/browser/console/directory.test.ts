import { Device } from '@svc/client'
import { makeKeyPackage } from '@svc/client/functions'
import { afterAll, describe, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { press } from '../console-page.fixture.ts'
import { looksWell, panel, TWO_LOOKS } from './own-page.fixture.ts'
import { openPaired } from './paired.fixture.ts'

const visit = await Visit.begin()
afterAll(() => visit.end())

describe.each(TWO_LOOKS)('in $look', ({ look, ...options }) => {
  it('shows what an account has published, and that the log proves it', async () => {
    let deviceId = ''
    const { page, complaints } = await openPaired(visit, {
      menu: 'Key directory',
      title: 'Key directory',
      look: options,
      before: async (client, { did }) => {
        const keys = await Device.create({ origin: 'app:phone', capabilities: ['prekeys:write'] })
        const attestation = await client.devices.attest(await keys.acceptance(did, client))
        const device = await keys.attested(attestation, await client.keyHistory.of(did), client.realms)
        await client.did.register()
        await client.keyDirectory.publish(await makeKeyPackage(device, client), { version: 1 })
        await client.transparency.follow(did)
        deviceId = device.deviceId
      },
    })
    await panel(page, 'Devices').getByText(deviceId).waitFor()
    await panel(page, 'Audit').getByText('The log proves that nothing was left out').waitFor()
    await panel(page, 'Audit').getByText('1 update').waitFor()
    await looksWell(page, `directory-${look}`)
    await page.getByLabel('DID', { exact: true }).fill(`did:svc:${'q'.repeat(32)}`)
    await press(page, 'Look up')
    await panel(page, 'Audit').getByText('the account has published nothing').waitFor()
    await panel(page, 'Devices').getByText('No device has published keys.').waitFor()
    expect(complaints).toEqual([])
  })
})
