import { join } from 'node:path'

/** The program `svc`: of the installed packages, if the tests run on them. */
export const MAIN =
  process.env['SVC_INSTALLED'] === undefined
    ? join(import.meta.dirname, '../src/main.ts')
    : join(process.env['SVC_INSTALLED'], 'project/node_modules/@svc/cli/dist/cli/src/main.js')
