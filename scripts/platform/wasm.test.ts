import { expect, it } from 'vitest'
import { capture } from './command.ts'

it('every .wasm file is what its source assembles to', async () => {
  const { code, output } = await capture(process.execPath, ['--no-warnings', 'scripts/platform/wasm.ts', '--check'])
  expect([code, output.trim()]).toEqual([0, ''])
})
