// Fails each test file, should the suite run the source after all.
import { join } from 'node:path'
import { inject } from 'vitest'
import { Client } from '../../../packages/client/src/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The package whose suite this is. Not in the environment, which the suites share when one process runs both. */
    suite: 'client' | 'cli'
  }
}

const { SVC_INSTALLED = '' } = process.env
const dist = join(SVC_INSTALLED, 'project/node_modules/@svc', inject('suite'), 'dist')
const installed = (await import(/* @vite-ignore */ join(dist, 'client/src/index.js'))) as { readonly Client: unknown }
if (installed.Client !== Client) throw new Error(`This suite should run ${dist}`)
