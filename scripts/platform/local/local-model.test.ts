import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashHex } from '@svc/protocol/base/hash'
import { MODEL_FILE } from '@svc/protocol/provenance/model-files'
import { InferenceSession, Tensor } from 'onnxruntime-web'
import { expect, it, onTestFinished } from 'vitest'
import { addLocalModel, LOCAL_MODEL, LOCAL_MODEL_SIDE, localModel } from './local-model.ts'

it('is the same bytes on every machine, as its name promises', () => {
  expect(hashHex(localModel())).toBe(
    '931d0f6fa325e53fc3b44862c0760d411a3f55919fca63b4b3d4498386ac04e1cbba629183e95897229e049992c1f863',
  )
  expect(LOCAL_MODEL).toMatch(MODEL_FILE)
})

it('runs in the runtime that a deployment serves, and leaves out the mean', async () => {
  const session = await InferenceSession.create(localModel())
  const embed = async (values: Float32Array) => {
    const { embedding } = await session.run({ luminance: new Tensor('float32', values, [1, LOCAL_MODEL_SIDE ** 2]) })
    return embedding?.data as Float32Array
  }
  const thumbnail = Float32Array.from({ length: LOCAL_MODEL_SIDE ** 2 }, (_, at) => ((at * 7919) % 251) / 251)
  const embedding = await embed(thumbnail)
  expect(embedding).toHaveLength(256)
  expect(new Set(embedding).size).toBeGreaterThan(200)
  const lighter = await embed(thumbnail.map((value) => value / 2 + 0.5))
  for (const [at, value] of embedding.entries()) expect(lighter[at]).toBeCloseTo(value / 2, 3)
})

it('is added to the models that a developer has, and not written twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  addLocalModel(join(folder, 'models'))
  const path = join(folder, 'models', LOCAL_MODEL)
  expect(readFileSync(path)).toEqual(Buffer.from(localModel()))
  writeFileSync(path, 'kept')
  addLocalModel(join(folder, 'models'))
  expect(readFileSync(path, 'utf8')).toBe('kept')
})
