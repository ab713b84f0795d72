import { expect, it } from 'vitest'
import { captureCheck } from './lib/step-runner.ts'

it('keeps every .wasm what the text beside it assembles to', async () => {
  const { failed, output } = await captureCheck(process.execPath, ['--no-warnings', 'scripts/wasm.ts', '--check'])
  expect([failed, output.trim()]).toEqual([0, ''])
})
