// Fails each test file, should the suite run the source after all.
import { join } from 'node:path'
import { Client } from '../../../packages/client/src/index.ts'

const { SVC_INSTALLED = '', SVC_SUITE = '' } = process.env
const dist = join(SVC_INSTALLED, 'project/node_modules/@svc', SVC_SUITE, 'dist')
const installed = (await import(/* @vite-ignore */ join(dist, 'client/src/index.js'))) as { readonly Client: unknown }
if (installed.Client !== Client) throw new Error(`This suite should run ${dist}`)
