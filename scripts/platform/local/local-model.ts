import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeModel } from './onnx.ts'

/** Stands for a model on a developer's machine. Another one needs another name: the bytes behind a name never change. */
export const LOCAL_MODEL = 'local-projection-1.onnx'
/** Its input: the luminance of an image in 16 by 16 numbers. */
export const LOCAL_MODEL_SIDE = 16
const VALUES = LOCAL_MODEL_SIDE ** 2
const DIMENSIONS = 256

/**
 * A projection: the luminance without its mean, times 256 columns of 1 and -1 by chance. Images whose thumbnails are alike
 * get embeddings at a small angle. It has learned nothing, so it finds copies, not subjects.
 */
export function localModel(): Uint8Array<ArrayBuffer> {
  return writeModel({
    name: 'local-projection',
    input: { name: 'luminance', shape: [1, VALUES] },
    output: { name: 'embedding', shape: [1, DIMENSIONS] },
    weights: [{ name: 'signs', shape: [VALUES, DIMENSIONS], values: signs() }],
    nodes: [
      { operator: 'ReduceMean', inputs: ['luminance'], output: 'mean', attributes: { axes: [1], keepdims: 1 } },
      { operator: 'Sub', inputs: ['luminance', 'mean'], output: 'centred' },
      { operator: 'Cast', inputs: ['signs'], output: 'columns', attributes: { to: 1 } },
      { operator: 'MatMul', inputs: ['centred', 'columns'], output: 'embedding' },
    ],
  })
}

/** Puts the model into the folder of models of a local deployment. */
export function addLocalModel(folder: string): void {
  const path = join(folder, LOCAL_MODEL)
  if (existsSync(path)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, localModel())
}

/** The same on every machine: the highest bits of a linear congruential generator (Numerical Recipes). */
function signs(): Int8Array<ArrayBuffer> {
  let state = 1
  return Int8Array.from({ length: VALUES * DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state < 0 ? 1 : -1
  })
}
