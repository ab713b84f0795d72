import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { asFunction } from './tour.ts'

/** A binary that a package of the registry contains, in a project of its own. */
export async function installRuntime(folder: string, spec: string, binary: string): Promise<string> {
  const project = mkdtempSync(join(folder, 'runtime-'))
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel', 'error']
  const { code, output } = await capture('npm', ['install', spec, '--prefix', project, ...quiet])
  const path = join(project, 'node_modules', binary)
  if (code !== 0 || !existsSync(path)) throw new Error(`npm install ${spec}: ${output.trim() || 'no such file'}`)
  return path
}

/** A browser in PATH, installed with apt-get where that is possible. */
export async function installBrowser(name: string): Promise<string> {
  const find = () =>
    (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path))
  const found = find()
  if (found !== undefined) return found
  const { code, output } = await capture('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name])
  const installed = find()
  if (installed === undefined) throw new Error(`apt-get install ${name} (${code}): ${output.trim().slice(-300)}`)
  return installed
}

/** Runs a program in a JavaScript runtime, in the project with the packages. Returns all that it prints. */
export async function runProgram(
  project: string,
  name: string,
  command: readonly [string, ...string[]],
  program: string,
): Promise<string> {
  const [binary, ...options] = command
  await build({
    stdin: { contents: program, loader: 'ts' },
    outfile: join(project, `${name}.mjs`),
    target: 'es2024',
    logLevel: 'error',
  })
  const { output } = await capture(binary, [...options, join(project, `${name}.mjs`)], { NO_COLOR: '1' })
  return output.trim()
}

/** One script with the packages and the program. */
export async function bundleOf(project: string, program: string, end: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: asFunction(program) + end, loader: 'ts', resolveDir: project },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Runs it in a Worker of its own. */
export async function runInWorkerd(project: string, program: string): Promise<string> {
  const script = await bundleOf(
    project,
    program,
    'export default { fetch: async () => new Response(await run().catch((error) => String(error))) }',
  )
  const worker = { modules: true, script, compatibilityDate: '2026-10-30' }
  const miniflare = new Miniflare(convertV4MiniflareOptions(worker))
  try {
    return await (await miniflare.dispatchFetch('http://localhost/')).text()
  } finally {
    await miniflare.dispose()
  }
}

/** Runs the program and sends what it printed. All browsers have one address here, and wait when its limit is reached. */
const REPORT = `
const again = (error) =>
  error?.retryAfterSeconds === undefined
    ? String(error)
    : new Promise((wait) => setTimeout(wait, error.retryAfterSeconds * 1000)).then(attempt)
const attempt = () => run().catch(again)
const isCounted = () => performance.getEntriesByType('resource').some((entry) => entry.initiatorType === 'xmlhttprequest')
const report = (printed) => fetch('/', { method: 'POST', body: printed + (isCounted() ? '' : ' (upload not counted)') })
attempt().then(report)
`

/** A page that runs the program when it is opened, and reports what it printed. */
export class Page {
  readonly origin: string
  readonly reported: Promise<string>
  readonly stop: () => void
  #script = ''

  private constructor(port: number, reported: Promise<string>, stop: () => void, script: (get: () => string) => void) {
    this.origin = `http://localhost:${port}`
    this.reported = reported
    this.stop = stop
    script(() => this.#script)
  }

  static async open(): Promise<Page> {
    const { promise, resolve } = Promise.withResolvers<string>()
    let script = () => ''
    const server = createServer((request, response) => {
      if (request.method === 'POST') {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          resolve(Buffer.concat(chunks).toString())
          response.end()
        })
      } else if (request.url === '/tour.js') response.setHeader('content-type', 'text/javascript').end(script())
      else response.setHeader('content-type', 'text/html').end('<script type="module" src="/tour.js"></script>')
    })
    await new Promise<void>((ready) => server.listen(0, 'localhost', ready))
    const stop = () => {
      server.closeAllConnections()
      server.close()
    }
    return new Page((server.address() as AddressInfo).port, promise, stop, (get) => {
      script = get
    })
  }

  async shows(project: string, program: string): Promise<void> {
    this.#script = await bundleOf(project, program, REPORT)
  }
}

/** Opens a page in a browser with an empty profile, until it has reported. */
export async function runInBrowser(folder: string, binary: string, page: Page): Promise<string> {
  const profile = mkdtempSync(join(folder, 'profile-'))
  const isFirefox = binary.endsWith('firefox-esr')
  const chromium = [
    '--headless',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    `--user-data-dir=${profile}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  const options = isFirefox ? ['--headless', '--no-remote', '--profile', profile] : chromium
  const browser = spawn(binary, [...options, page.origin], { env: { ...process.env, HOME: profile }, detached: true })
  const ended = new Promise<string>((resolve) => {
    const said: Buffer[] = []
    browser.stderr.on('data', (chunk: Buffer) => said.push(chunk))
    browser.once('error', (error) => resolve(String(error)))
    browser.once('exit', () => resolve(`The browser ended: ${Buffer.concat(said).toString().slice(-500)}`))
  })
  try {
    return await Promise.race([page.reported, ended])
  } finally {
    // With the processes that it has started.
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
    await ended
  }
}
