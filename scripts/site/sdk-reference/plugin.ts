/**
 * A plugin of TypeDoc: names modules as programs import them, where TypeDoc names them by their files, and puts the
 * introduction above their list.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Application, Comment, Converter, ReflectionKind } from 'typedoc'
import { ENTRIES } from './entries.ts'

export function load(app: Application): void {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName
    const entry = ENTRIES.find((one) => one.file === file)
    if (!entry) throw new Error(`${file} is not exported by a published package`)
    reflection.name = entry.name
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const text = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8')
    project.comment = new Comment([{ kind: 'text', text }])
  })
}
