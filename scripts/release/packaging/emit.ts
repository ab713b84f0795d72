import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT, SetupError } from '@svc/platform/workspace'
import { type Contents, importsByPath } from './published-packages.ts'

/**
 * Compiles what the packages contain, and hands over a folder from which `copyDist` takes each package's part. Each
 * source file becomes one file, so that bundlers can drop unused modules and stepping into the SDK shows readable code.
 * The compiler writes all of it: code here only copies.
 */
export async function withCompiled<T>(
  packages: readonly Contents[],
  use: (compiled: string) => Promise<T>,
): Promise<T> {
  // In the repository, where the compiler finds the types of dependencies.
  const work = mkdtempSync(join(ROOT, 'node_modules/.package-'))
  try {
    const files = [...new Set(packages.flatMap((one) => one.files))]
    const isForNode = (file: string) => file.includes('/src/node/') || file.startsWith('packages/cli/')
    const forNode = files.filter(isForNode)
    if (forNode.length > 0) await compile(forNode, work, ['node'])
    // Last, so that its declarations stay: nothing from Node.js or Workers may be used, but where programs are meant.
    await compile(
      files.filter((file) => !isForNode(file)),
      work,
    )
    return await use(join(work, 'out'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Copies the code and the declarations of a package. */
export function copyDist({ files }: Contents, compiled: string, folder: string): void {
  for (const file of files)
    for (const suffix of ['.js', '.d.ts'] as const) {
      const path = distPath(file, suffix)
      cpSync(join(compiled, path.replace(/^dist\//, '')), join(folder, path))
    }
}

/** The path of a source file in the published package. */
export function distPath(file: string, suffix: '.js' | '.d.ts'): string {
  return file.replace(/^packages\//, 'dist/').replace(/\.ts$/, suffix)
}

async function compile(files: readonly string[], work: string, types: readonly string[] = []): Promise<void> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      outDir: join(work, 'out'),
      rootDir: join(ROOT, 'packages'),
      declaration: true,
      // Comments stay: editors show them as documentation, and bundlers read the marks in them.
      removeComments: false,
      rewriteRelativeImportExtensions: true,
      lib: ['es2024', 'dom', 'dom.iterable'],
      types,
      // By path, because the compiler emits nothing for files in node_modules.
      paths: importsByPath(),
    },
    files: files.map((file) => join(ROOT, file)),
  }
  const path = join(work, 'tsconfig.json')
  writeFileSync(path, JSON.stringify(config))
  const { code, output } = await capture('tsc', ['-p', path])
  if (code !== 0) throw new SetupError(`The published packages do not compile.\n${output}`)
}
