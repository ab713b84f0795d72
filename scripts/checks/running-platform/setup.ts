import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startPlatform } from '@svc/platform'
import { reservePortBase, sitePortOf } from '@svc/platform/ports'
import { logFileOf } from '@svc/platform/running'
import { announce } from '@svc/platform/shared-platform'

/** An origin that every Worker's configuration allows. */
const LOCAL_PAGE = 'http://localhost:3000'

/**
 * A person answers a request for a new root key within a day. Here, two programs in turn do so, each for seconds on a busy
 * machine.
 */
const ROTATIONS = { ROTATION_WINDOW_SECONDS: 10, ROTATION_CONTEST_SECONDS: 15 }

/** Starts one platform for all tests that need no settings of their own. */
export async function setup(): Promise<() => Promise<void>> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-running-'))
  const portBase = await reservePortBase()
  const sitePort = sitePortOf(portBase)
  // Also the site of the pages in the documentation. The platform adds its console.
  const site = `http://localhost:${sitePort}`
  const origins = [LOCAL_PAGE, site]
  const ALLOWED_ORIGINS = { ALLOWED_ORIGINS: origins }
  const SIGN_IN = { ...ALLOWED_ORIGINS, RP_ORIGINS: origins, RETURN_URLS: [`${site}/welcome`] }
  const log = logFileOf(stateDir)
  mkdirSync(dirname(log))
  const platform = await startPlatform({
    portBase,
    stateDir,
    onLog: (line) => appendFileSync(log, `${line}\n`),
    modelFiles: true,
    sdkReference: true,
    witness: true,
    vars: {
      core: { ...ALLOWED_ORIGINS, ...ROTATIONS },
      did: ALLOWED_ORIGINS,
      provenance: ALLOWED_ORIGINS,
      pay: ALLOWED_ORIGINS,
      auth: SIGN_IN,
    },
  })
  announce({ portBase, stateDir, sitePort })
  return async () => {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}
