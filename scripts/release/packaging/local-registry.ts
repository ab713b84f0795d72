import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { runServer } from 'verdaccio'
import type { BuiltPackage } from './build.ts'
import { packDependencies } from './installed-packages.ts'

/**
 * Verdaccio with the built packages and their dependencies in the locked versions. It has no uplink: a package that was
 * not published to it is unknown, so that an installation cannot fetch anything from the public registry.
 */
export class LocalRegistry {
  readonly url: string
  readonly #server: Server
  readonly #folder: string

  private constructor(server: Server, folder: string) {
    this.#server = server
    this.#folder = folder
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  static async start(built: readonly BuiltPackage[]): Promise<LocalRegistry> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-registry-'))
    const registry = new LocalRegistry(await serve(folder), folder)
    try {
      await registry.#publish([...built.map(({ tarball }) => tarball), ...packDependencies(built, folder)])
    } catch (error) {
      await registry.stop()
      throw error
    }
    return registry
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** With npm itself, because the checks of `npm publish` are what a release has to pass. */
  async #publish(tarballs: readonly string[]): Promise<void> {
    // npm does not publish without a token, and Verdaccio takes an unknown one for an anonymous publisher. npm reads this
    // file instead of the user's, whose tokens are for other registries.
    const userconfig = join(this.#folder, 'npmrc')
    writeFileSync(userconfig, `${this.url.replace('http:', '')}:_authToken=anonymous\n`)
    const place = ['--registry', this.url, '--userconfig', userconfig, '--cache', join(this.#folder, 'cache')]
    // Options on the command line win over the `publishConfig` of a package, which can name another registry.
    const settings = ['--tag', 'latest', '--no-provenance', '--no-update-notifier', '--loglevel', 'error']
    const runs = tarballs.map((tarball) => capture('npm', ['publish', tarball, ...place, ...settings]))
    for (const { code, output } of await Promise.all(runs))
      if (code !== 0) throw new Error(`npm could not publish to the registry on this machine.\n${output}`)
  }
}

async function serve(folder: string): Promise<Server> {
  const server = (await runServer({
    // Need not exist: Verdaccio only takes the folder from it.
    configPath: join(folder, 'verdaccio.yaml'),
    storage: join(folder, 'storage'),
    uplinks: {},
    packages: { '**': { access: '$all', publish: '$all' } },
    web: { enable: false },
    log: { type: 'stdout', format: 'json', level: 'fatal' },
  })) as Server
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}
