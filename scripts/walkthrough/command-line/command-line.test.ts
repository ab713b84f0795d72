import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it } from 'vitest'

const MAX_MS = 1_800_000

it(
  'svc does the quickstart and the steps of the walk-through',
  async () => {
    const { urls } = sharedPlatform()
    const env = { SVC_CORE: urls.core, SVC_STATE: sharedAddress().stateDir }
    const { code, output } = await capture('sh', [join(import.meta.dirname, 'walkthrough.sh')], env)
    const lines = output.split('\n')
    expect(lines.filter((line) => /^(?:FAIL| {6})/.test(line))).toEqual([])
    expect(code, output).toBe(0)
    expect(lines.filter((line) => line.startsWith('ok ')).length).toBeGreaterThan(150)
  },
  MAX_MS,
)
