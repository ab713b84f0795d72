import { expect, it } from 'vitest'
import { capture } from './command.ts'

it('every .wasm file matches the .wat file beside it', async () => {
  const { code, output } = await capture(process.execPath, ['--no-warnings', 'scripts/platform/wasm.ts', '--check'])
  expect([code, output.trim()]).toEqual([0, ''])
})
