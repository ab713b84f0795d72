import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { capture } from '../lib/step-runner.ts'
import { ROOT, SetupError } from '../lib/workspace.ts'
import { type Contents, inlinedSource } from './published-packages.ts'

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])(@svc\/[^'"]+)\2/g

/**
 * Writes JavaScript and declarations, one file for each source file: bundlers then leave out what a page does not use,
 * and whoever steps into the SDK reads what was written.
 */
export async function emit({ files }: Contents, folder: string): Promise<void> {
  const work = mkdtempSync(join(ROOT, 'node_modules/.package-'))
  try {
    await compile(files, work)
    for (const file of files)
      for (const suffix of ['.js', '.d.ts'] as const) {
        const emitted = file.replace(/^packages\//, '').replace(/\.ts$/, suffix)
        const target = join(folder, distPath(file, suffix))
        mkdirSync(dirname(target), { recursive: true })
        writeFileSync(target, withOwnPaths(readFileSync(join(work, 'out', emitted), 'utf8'), file))
      }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Where a source file is inside the published package. */
export function distPath(file: string, suffix: '.js' | '.d.ts'): string {
  return file.replace(/^packages\/([^/]+)\/src\//, 'dist/$1/').replace(/\.ts$/, suffix)
}

/** A package of the workspace that is inside is reached by path. */
function withOwnPaths(text: string, file: string): string {
  return text.replaceAll(SPECIFIER, (whole, before: string, quote: string, specifier: string) => {
    const source = inlinedSource(specifier)
    if (source === null) return whole
    const path = relative(dirname(distPath(file, '.js')), distPath(source, '.js'))
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
  })
}

async function compile(files: readonly string[], work: string): Promise<void> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      outDir: join(work, 'out'),
      rootDir: join(ROOT, 'packages'),
      declaration: true,
      // No comments of the sources get lost: they are the documentation that editors show.
      removeComments: false,
      rewriteRelativeImportExtensions: true,
      // What browsers have. Nothing of Node.js or of Workers may be in it.
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: [],
      // By path, because the compiler writes nothing for what it finds in node_modules.
      paths: {
        '@svc/protocol/*': [join(ROOT, 'packages/protocol/src/*.ts')],
        '@svc/pqc/*': [join(ROOT, 'packages/pqc/src/*.ts')],
        '@svc/*': [join(ROOT, 'packages/*/src/index.ts')],
      },
    },
    files: files.map((file) => join(ROOT, file)),
  }
  const path = join(work, 'tsconfig.json')
  writeFileSync(path, JSON.stringify(config))
  const { code, output } = await capture('tsc', ['-p', path])
  if (code !== 0) throw new SetupError(`The published packages do not compile.\n${output}`)
}
