package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.LockObtainFailedException;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Test;

/** Lucene keeps its index in a file system of ours: by channels with positions, locks of files and forced directories. */
class LuceneTest extends FilesTest {
    private static final int DOCUMENTS = 2000;

    private static IndexWriter writer(Directory index) throws IOException {
        return new IndexWriter(index, new IndexWriterConfig(new StandardAnalyzer()));
    }

    private static Document document(int number) {
        Document document = new Document();
        document.add(new StringField("number", Integer.toString(number), Field.Store.YES));
        String text =
                "the " + (number % 2 == 0 ? "even" : "odd") + " number " + number + " modulo seven is m" + number % 7;
        document.add(new TextField("text", text, Field.Store.YES));
        return document;
    }

    private static long count(Directory index, Query query) throws IOException {
        try (DirectoryReader reader = DirectoryReader.open(index)) {
            return new IndexSearcher(reader).count(query);
        }
    }

    @Test
    void anIndexIsSearchedAfterTheStoreWasOpenedAgain() throws IOException {
        try (Directory index = new NIOFSDirectory(path("/index"));
                IndexWriter writer = writer(index)) {
            for (int i = 0; i < DOCUMENTS; i++) {
                writer.addDocument(document(i));
                if (i % 300 == 0) {
                    writer.commit();
                }
            }
            writer.deleteDocuments(new Term("number", "14"));
            assertThrows(LockObtainFailedException.class, () -> writer(index));
        }
        fixture.reopen();
        try (Directory index = new NIOFSDirectory(path("/index"))) {
            assertSound(index);
            assertEquals(DOCUMENTS / 2 - 1, count(index, new TermQuery(new Term("text", "even"))));
            assertEquals(DOCUMENTS / 7, count(index, new PhraseQuery("text", "seven", "is", "m6")));
            try (IndexWriter writer = writer(index)) {
                writer.addDocument(document(14));
                writer.forceMerge(1);
            }
            assertSound(index);
            assertEquals(DOCUMENTS / 2, count(index, new TermQuery(new Term("text", "even"))));
            assertStored(index, 14);
        }
        fixture.assertSound();
    }

    @Test
    void anIndexIsSearchedInAStoreThatIsReadOnly() throws IOException {
        try (Directory index = new NIOFSDirectory(path("/index"));
                IndexWriter writer = writer(index)) {
            for (int i = 0; i < 100; i++) {
                writer.addDocument(document(i));
            }
        }
        Path store = directory.resolve("store");
        try (FlexDBReader reader = FlexDB.openReadOnly(store);
                FlexFileSystem files = FlexFileSystem.openReadOnly(reader);
                Directory index = new NIOFSDirectory(files.getPath("/index"))) {
            assertStored(index, 42);
        }
    }

    private static void assertStored(Directory index, int number) throws IOException {
        try (DirectoryReader reader = DirectoryReader.open(index)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            TopDocs found = searcher.search(new TermQuery(new Term("number", Integer.toString(number))), 10);
            assertEquals(1, found.totalHits.value);
            Document stored = searcher.storedFields().document(found.scoreDocs[0].doc);
            assertEquals(document(number).get("text"), stored.get("text"));
        }
    }

    /** By the checksums that Lucene has of its own. */
    private static void assertSound(Directory index) throws IOException {
        try (CheckIndex check = new CheckIndex(index)) {
            assertTrue(check.checkIndex().clean);
        }
    }
}
