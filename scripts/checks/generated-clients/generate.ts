import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import { ROOT, type WorkerName } from '@svc/platform/workspace'
import openapiTypes, { astToString } from 'openapi-typescript'

/** Settings of a new project in strict mode. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
  },
}

/** A new folder outside of the repository, with the conversations and generated clients of these services. */
export async function generatedClients(services: readonly WorkerName[]): Promise<{ folder: string } & Disposable> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clients-'))
  cpSync(join(import.meta.dirname, 'conversations'), folder, { recursive: true })
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  mkdirSync(join(folder, 'types'))
  for (const service of services) {
    const document = join(ROOT, 'workers', service, 'openapi.json')
    writeFileSync(join(folder, 'types', `${service}.ts`), astToString(await openapiTypes(pathToFileURL(document))))
    await createClient({
      input: document,
      output: join(folder, 'hey', service),
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
      logs: { level: 'silent' },
    })
  }
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
