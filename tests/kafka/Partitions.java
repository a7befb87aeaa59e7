import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends one record a key, with the Java client's own defaults, and prints the partition of each. */
public class Partitions {
    public static void main(String[] arguments) throws Exception {
        Properties options = new Properties();
        options.put("bootstrap.servers", arguments[0]);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(options, new StringSerializer(), new StringSerializer())) {
            for (String key = keys.readLine(); key != null; key = keys.readLine()) {
                sent.add(producer.send(new ProducerRecord<>(arguments[1], key, "{}")));
            }
            for (Future<RecordMetadata> one : sent) {
                System.out.println(one.get().partition());
            }
        }
    }
}
