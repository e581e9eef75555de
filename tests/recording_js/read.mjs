// Reads a closed recording with @mcap/core, by its index and as a stream, verifies every CRC the
// format has, and prints what it found as one line of JSON.
//
//   node read.mjs FILE [INFO.json]
//
// With INFO.json, the output of `contrail-replay info --json FILE`, compares the two and exits with
// 1 where they differ.

import { open, readFile } from "node:fs/promises";

import { crc32 } from "@foxglove/crc";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";

class FileReadable {
  constructor(handle) {
    this.handle = handle;
  }
  async size() {
    return BigInt((await this.handle.stat()).size);
  }
  async read(offset, length) {
    const buffer = new Uint8Array(Number(length));
    const { bytesRead } = await this.handle.read(buffer, 0, buffer.length, Number(offset));
    if (bytesRead !== buffer.length) throw new Error(`short read at ${offset}`);
    return buffer;
  }
}

function countByTopic(messages, channelsById) {
  const counts = {};
  for (const channel of channelsById.values()) counts[channel.topic] = 0;
  for (const message of messages) ++counts[channelsById.get(message.channelId).topic];
  return counts;
}

async function readIndexed(file) {
  const handle = await open(file);
  try {
    const reader = await McapIndexedReader.Initialize({ readable: new FileReadable(handle) });
    const messages = [];
    for await (const message of reader.readMessages({ validateCrcs: true })) messages.push(message);
    return { reader, messages };
  } finally {
    await handle.close();
  }
}

// The stream reader verifies the chunks; the CRC of the data section is left to its users.
async function readStreamed(file) {
  const bytes = await readFile(file);
  const reader = new McapStreamReader({ validateCrcs: true });
  const channelsById = new Map();
  const messages = [];
  let dataEnd;
  let dataEndOffset;
  for (let at = 0; at < bytes.length; at += 1000) {
    reader.append(bytes.subarray(at, at + 1000));
    for (let record; (record = reader.nextRecord()); ) {
      if (record.type === "Channel") channelsById.set(record.id, record);
      if (record.type === "Message") messages.push(record);
      if (record.type === "DataEnd") dataEnd = record;
      if (record.type === "Footer") dataEndOffset = Number(record.summaryStart) - (1 + 8 + 4);
    }
  }
  if (!reader.done()) throw new Error("the stream ends before the footer");
  const crc = crc32(bytes.subarray(0, dataEndOffset));
  if (dataEnd.dataSectionCrc !== crc) {
    throw new Error(`data section CRC ${dataEnd.dataSectionCrc}, computed ${crc}`);
  }
  return { channelsById, messages };
}

function sameMessage(a, b) {
  return (
    a.channelId === b.channelId &&
    a.sequence === b.sequence &&
    a.logTime === b.logTime &&
    a.publishTime === b.publishTime &&
    Buffer.compare(a.data, b.data) === 0
  );
}

const [file, infoFile] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node read.mjs FILE [INFO.json]");
  process.exit(2);
}
const indexed = await readIndexed(file);
const streamed = await readStreamed(file);
const channels = countByTopic(streamed.messages, streamed.channelsById);
const found = {
  profile: indexed.reader.header.profile,
  library: indexed.reader.header.library,
  messages: streamed.messages.length,
  channels,
  schemas: [...indexed.reader.schemasById.values()].map((schema) => schema.name),
};
console.log(JSON.stringify(found));

const failures = [];
// The order of an object's keys says nothing.
const canonical = (value) =>
  JSON.stringify(typeof value === "object" ? Object.entries(value).sort() : value);
const expectSame = (what, a, b) => {
  const [left, right] = [canonical(a), canonical(b)];
  if (left !== right) failures.push(`${what}: ${left} and ${right}`);
};
expectSame(
  "messages by index and by stream",
  countByTopic(indexed.messages, indexed.reader.channelsById),
  channels,
);
expectSame(
  "message count and statistics",
  streamed.messages.length,
  Number(indexed.reader.statistics.messageCount),
);
// By index the order of messages of one time may differ; inside a channel it may not.
for (const id of streamed.channelsById.keys()) {
  const left = indexed.messages.filter((message) => message.channelId === id);
  const right = streamed.messages.filter((message) => message.channelId === id);
  const different = right.findIndex((message, i) => !left[i] || !sameMessage(left[i], message));
  if (different >= 0) failures.push(`message ${different} of channel ${id} differs by index`);
}
if (infoFile !== undefined) {
  const lines = (await readFile(infoFile, "utf8")).trim().split("\n");
  const info = JSON.parse(lines[lines.length - 1]);
  expectSame("channels here and in contrail-replay", channels, info.channels);
  expectSame("messages here and in contrail-replay", streamed.messages.length, info.messages);
}
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);
