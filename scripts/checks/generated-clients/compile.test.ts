import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { generatedClients } from './generate.ts'

it('every generated client, and conversations by them, compile in strict mode', async () => {
  using made = await generatedClients(WORKER_NAMES)
  const { code, output } = await capture(join(ROOT, 'node_modules/.bin/tsc'), ['--project', made.folder])
  expect({ code, output }).toEqual({ code: 0, output: '' })
})
